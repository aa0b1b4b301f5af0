"""Run by a clean environment that has only the wheel: is everything there, and does it work?"""

import subprocess
import sys
import sysconfig
from pathlib import Path

import metarag
from metarag.resources import data_file

checkout = Path(sys.argv[1])
home = Path(metarag.__file__).resolve().parent
assert checkout not in home.parents, f"this is the checkout's metarag, not the wheel's: {home}"
assert (home / "py.typed").is_file()

shipped = [path for path in sorted((checkout / "data").rglob("*")) if path.is_file()]
assert shipped
for path in shipped:
    name = path.relative_to(checkout / "data").as_posix()
    assert data_file(name).read_bytes() == path.read_bytes(), f"data/{name} differs in the wheel"

command = Path(sysconfig.get_path("scripts")) / "metarag"
question = "Does aspirin prevent a first heart attack?"
done = subprocess.run([command, "ask", question, "--json"], capture_output=True, text=True, check=True)
assert '"abstained": false' in done.stdout, done.stderr
report = Path("report.html")
subprocess.run([command, "ask", question, "--report", report], capture_output=True, check=True)
assert "Evidence report" in report.read_text(encoding="utf-8"), "the report's templates are not in the wheel"
namespace = home.parent / "haystack_integrations" / "components" / "rankers" / "metarag" / "ranker.py"
assert namespace.is_file(), "the Haystack component is not in the wheel"
print(f"metarag {metarag.__version__}: {len(shipped)} data files are the same in the wheel; ask works")
