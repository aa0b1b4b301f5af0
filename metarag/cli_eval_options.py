"""The options of `metarag eval run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FolderArgument = Annotated[Path, typer.Argument(help="Folder of the experiment.")]
ModelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="Model that answers (repeatable); its key: METARAG_API_KEY. Without: words."
    ),
]
SystemsOption = Annotated[
    str, typer.Option("--systems", help="Names with commas, e.g. closed_book,plain,recommended,paper@2.")
]
TopNOption = Annotated[int, typer.Option("--top-n", min=1, max=50, help="Articles shown.")]
PoolOption = Annotated[int, typer.Option("--pool", min=1, max=500, help="Candidates retrieved.")]
SeedsOption = Annotated[str, typer.Option("--seeds", help="Seeds of the runs, with commas.")]
LimitOption = Annotated[
    int | None,
    typer.Option("--limit", min=1, help="So many questions of each file, in turn from its subsets."),
]
ShardOption = Annotated[str | None, typer.Option("--shard", help="Part i of n as i/n.")]
ConcurrencyOption = Annotated[
    int, typer.Option("--concurrency", min=1, max=64, help="Questions at the same time.")
]
JudgeOption = Annotated[bool, typer.Option("--judge", help="Let the model judge the articles too.")]
DirectOption = Annotated[
    bool, typer.Option("--direct", help="Ask for the letter alone, not for an argument first.")
]
ByOption = Annotated[
    str, typer.Option("--by", help="text, or logprobs: the first token's, which are confidences too.")
]
AbstainOption = Annotated[
    bool, typer.Option("--abstain", help="Do not ask where a system has no article to show.")
]
MaxTokensOption = Annotated[
    int | None, typer.Option("--max-tokens", min=1, help="Of a reply; default: the prompt's limit.")
]
TemperatureOption = Annotated[
    float,
    typer.Option("--temperature", min=0, max=2, help="Of the answers; several seeds need more than 0."),
]
TimeoutOption = Annotated[
    float, typer.Option("--timeout", min=1, help="Seconds for a call, its retries included.")
]
PricesOption = Annotated[str | None, typer.Option("--prices", help="Per million tokens, as input,output.")]
MaxErrorRateOption = Annotated[
    float, typer.Option("--max-error-rate", min=0.001, max=1, help="Share of failures that ends the run.")
]
RetryErrorsOption = Annotated[
    bool, typer.Option("--retry-errors", help="Answer again what failed the last time.")
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Only count the calls; nothing is sent or written.")
]
