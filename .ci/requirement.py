"""Print a requirement of pyproject.toml: `requirement.py NAME` as it stands, `requirement.py NAME lowest` pinned."""

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path

name, lowest = sys.argv[1], sys.argv[2:] == ["lowest"]
project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
listed = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
(found,) = {line for line in listed if re.match(rf"{re.escape(name)}\b(?!-)", line)}
parts = re.search(r">=([\d.]+)", found)[1].split(".")
print(f"{name}=={'.'.join([*parts, '0', '0'][:3])}" if lowest else found)
