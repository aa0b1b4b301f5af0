"""Speed and memory of reading a PubMed file, each reader in a process of its own.

    python benchmarks/read_pubmed.py [--records 30000] [--peer-python PATH]

Writes an invented file of the size and make of a baseline file (30,000 records of about 10 kB: structured
abstract, 8 authors with affiliations, 12 MeSH headings, 6 references; seed 1) into a temporary folder.
Peers run where the interpreter has them: pubmed_parser on the whole file, Bio.Entrez.read on the first
3,000 records, because it holds all of them in memory. CPU time is shown beside wall time, because it does
not change with what else the machine does. What a peer leaves out (books, references, corrections, dates,
inline markup ...) is not counted against it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ENTREZ_RECORDS = 3_000
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
SECTIONS = (("BACKGROUND", 45), ("METHODS", 70), ("RESULTS", 90), ("CONCLUSIONS", 40))
SYLLABLES = ("ba", "cor", "den", "fi", "gal", "hem", "lo", "mi", "nar", "pto", "rix", "sol", "tu", "vel")


class Inventor:
    """Words, names and records that do not exist, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.words = ["".join(self.random.choices(SYLLABLES, k=1 + i % 4)) for i in range(20_000)]

    def text(self, words: int) -> str:
        picked = [self.words[int(20_000 * self.random.random() ** 3)] for _ in range(words)]
        return " ".join(picked).capitalize() + "."

    def name(self) -> str:
        return self.random.choice(self.words).capitalize()

    def author(self) -> str:
        fore = f"{self.name()} {self.random.choice('ABCDEFGH')}"
        return (
            f'<Author ValidYN="Y"><LastName>{self.name()}</LastName><ForeName>{fore}</ForeName>'
            f"<Initials>{fore[0]}{fore[-1]}</Initials><AffiliationInfo><Affiliation>Department of "
            f"{self.name()}, University of {self.name()}, {self.name()} {self.random.randint(1000, 99999)}, "
            f"{self.name()}.</Affiliation></AffiliationInfo></Author>"
        )

    def heading(self) -> str:
        qualifiers = "".join(
            f'<QualifierName UI="Q{self.random.randint(1, 999999):06}" MajorTopicYN="N">{self.name()}'
            "</QualifierName>"
            for _ in range(self.random.randint(0, 2))
        )
        return (
            f'<MeshHeading><DescriptorName UI="D{self.random.randint(1, 999999):06}" MajorTopicYN="N">'
            f"{self.name()} {self.name()}</DescriptorName>{qualifiers}</MeshHeading>"
        )

    def reference(self) -> str:
        citation = f"{self.name()} A, {self.name()} B. {self.text(9)} J {self.name()}. 2011;12(3):45-67."
        cited = self.random.randint(10_000_000, 29_999_999)
        return (
            f"<Reference><Citation>{citation}</Citation><ArticleIdList>"
            f'<ArticleId IdType="pubmed">{cited}</ArticleId></ArticleIdList></Reference>'
        )

    def section(self, label: str, words: int) -> str:
        markup = " CO<sub>2</sub> fell, P &lt; 0.05." if label == "RESULTS" else ""
        text = self.text(words) + markup
        return f'<AbstractText Label="{label}" NlmCategory="{label}">{text}</AbstractText>'

    def record(self, number: int) -> str:
        pmid, doi = 30_000_000 + number, f"10.9999/invented.{number}"
        year = 1980 + number % 45
        date = f"<Year>{year}</Year><Month>{1 + number % 12:02}</Month><Day>{1 + number % 28:02}</Day>"
        abstract = "\n          ".join(self.section(label, words) for label, words in SECTIONS)
        return f"""<PubmedArticle>
  <MedlineCitation Status="MEDLINE" IndexingMethod="Automated" Owner="NLM">
    <PMID Version="1">{pmid}</PMID>
    <DateCompleted>{date}</DateCompleted>
    <DateRevised>{date}</DateRevised>
    <Article PubModel="Print-Electronic">
      <Journal>
        <ISSN IssnType="Electronic">0000-0019</ISSN>
        <JournalIssue CitedMedium="Internet"><Volume>{number % 90}</Volume><Issue>3</Issue>
          <PubDate><Year>{year}</Year><Month>Mar</Month></PubDate></JournalIssue>
        <Title>Annals of {self.name()} Medicine</Title>
        <ISOAbbreviation>Ann {self.name()} Med</ISOAbbreviation>
      </Journal>
      <ArticleTitle>{self.text(14)}</ArticleTitle>
      <Pagination><StartPage>101</StartPage><EndPage>109</EndPage><MedlinePgn>101-9</MedlinePgn></Pagination>
      <ELocationID EIdType="doi" ValidYN="Y">{doi}</ELocationID>
      <Abstract>{abstract}<CopyrightInformation>No rights.</CopyrightInformation></Abstract>
      <AuthorList CompleteYN="Y">
        {"".join(self.author() for _ in range(8))}
      </AuthorList>
      <Language>eng</Language>
      <GrantList CompleteYN="Y"><Grant><GrantID>R01-{number}</GrantID><Agency>{self.name()}</Agency>
        <Country>United States</Country></Grant></GrantList>
      <PublicationTypeList>
        <PublicationType UI="D016428">Journal Article</PublicationType>
        <PublicationType UI="D016449">Randomized Controlled Trial</PublicationType>
      </PublicationTypeList>
      <ArticleDate DateType="Electronic">{date}</ArticleDate>
    </Article>
    <MedlineJournalInfo><Country>Switzerland</Country><MedlineTA>Ann Med</MedlineTA>
      <NlmUniqueID>9900001</NlmUniqueID><ISSNLinking>0000-0019</ISSNLinking></MedlineJournalInfo>
    <ChemicalList><Chemical><RegistryNumber>0</RegistryNumber>
      <NameOfSubstance UI="D000001">{self.name()}</NameOfSubstance></Chemical></ChemicalList>
    <MeshHeadingList>
      {"".join(self.heading() for _ in range(12))}
    </MeshHeadingList>
    <KeywordList Owner="NOTNLM"><Keyword MajorTopicYN="N">{self.name()}</Keyword></KeywordList>
  </MedlineCitation>
  <PubmedData>
    <History><PubMedPubDate PubStatus="received">{date}</PubMedPubDate>
      <PubMedPubDate PubStatus="pubmed">{date}<Hour>6</Hour><Minute>0</Minute></PubMedPubDate></History>
    <PublicationStatus>ppublish</PublicationStatus>
    <ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId>
      <ArticleId IdType="doi">{doi}</ArticleId></ArticleIdList>
    <ReferenceList>{"".join(self.reference() for _ in range(6))}</ReferenceList>
  </PubmedData>
</PubmedArticle>
"""


def write_file(path: Path, records: int, seed: int = 1) -> int:
    """Return the size of the XML in bytes."""
    inventor, size = Inventor(seed), 0
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=4) as stream:
        for text in (HEAD, *map(inventor.record, range(records)), "</PubmedArticleSet>\n"):
            size += stream.write(text)
    return size


def read_with_metarag(path: Path) -> Iterator[object]:
    from metarag.records import Article
    from metarag.retrieval.pubmed_xml import read_pubmed_xml

    for record in read_pubmed_xml(path):
        if not isinstance(record, Article):
            raise SystemExit(f"not read: {record}")
        yield record


def read_with_pubmed_parser(path: Path) -> Iterator[object]:
    import pubmed_parser

    yield from pubmed_parser.parse_medline_xml(str(path), author_list=True, reference_list=True)


def read_with_entrez(path: Path) -> Iterator[object]:
    from Bio import Entrez

    with gzip.open(path, "rb") as stream:
        yield from Entrez.read(stream)["PubmedArticle"]


READERS: dict[str, Callable[[Path], Iterator[object]]] = {
    "metarag": read_with_metarag,
    "pubmed_parser": read_with_pubmed_parser,
    "Bio.Entrez.read": read_with_entrez,
}
PACKAGES = {"metarag": "pydantic", "pubmed_parser": "pubmed_parser", "Bio.Entrez.read": "biopython"}


def measure(reader: str, path: Path, warm_up: Path) -> None:
    """Read once and print the numbers as JSON; runs in the child process."""
    from importlib.metadata import version

    next(READERS[reader](warm_up), None)  # imports are not reading
    wall, cpu = time.perf_counter(), time.process_time()
    records = sum(1 for _ in READERS[reader](path))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    # VmHWM belongs to this process; ru_maxrss may still hold the parent's from before exec.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    package = PACKAGES[reader]
    print(
        json.dumps(
            {
                "records": records,
                "wall": wall,
                "cpu": cpu,
                "peak": peak,
                "version": f"{package} {version(package)}",
            }
        )
    )


def run(python: str, reader: str, path: Path) -> dict[str, float | str] | None:
    command = [
        python,
        str(Path(__file__).resolve()),
        "--child",
        reader,
        str(path),
        str(path.with_name("one.xml.gz")),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        print(f"{reader}: not measured ({result.stderr.strip().splitlines()[-1:]})")
        return None
    answer: dict[str, float | str] = json.loads(result.stdout)
    return answer


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--records", type=int, default=30_000)
    parser.add_argument("--peer-python", default=sys.executable, help="interpreter that has the peers")
    parser.add_argument("--child", nargs=3, metavar=("READER", "FILE", "WARM_UP"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        measure(arguments.child[0], Path(arguments.child[1]), Path(arguments.child[2]))
        return
    print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.platform()}")
    with tempfile.TemporaryDirectory() as folder:
        whole, part = Path(folder) / "whole.xml.gz", Path(folder) / "part.xml.gz"
        size = write_file(whole, arguments.records)
        write_file(part, min(ENTREZ_RECORDS, arguments.records))
        write_file(Path(folder) / "one.xml.gz", 1)
        packed = whole.stat().st_size
        print(f"{arguments.records:,} records, {size / 1e6:.0f} MB XML, {packed / 1e6:.0f} MB gz, seed 1\n")
        print("| reader | version | records | wall s | CPU s | records per CPU s | peak MB |")
        print("|---|---|---|---|---|---|---|")
        for reader in READERS:
            python = sys.executable if reader == "metarag" else arguments.peer_python
            numbers = run(python, reader, part if reader == "Bio.Entrez.read" else whole)
            if numbers is not None:
                records, cpu = float(numbers["records"]), float(numbers["cpu"])
                print(
                    f"| {reader} | {numbers['version']} | {records:,.0f} | {numbers['wall']:.1f} | {cpu:.1f} "
                    f"| {records / cpu:,.0f} | {float(numbers['peak']) / 1024:.0f} |"
                )


if __name__ == "__main__":
    main()
