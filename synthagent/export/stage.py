"""The export of a run: both data sets and their card, in `<run>/export/`.

Not responsible for choosing trajectories; refinement did.
"""

from synthagent.blobs import write_atomically
from synthagent.export.card import write_card
from synthagent.export.dataset import ExportReport, export_messages, export_prompt_completion
from synthagent.journal import RunDirectory

FOLDER = "export"
MESSAGES = "messages.jsonl"
PROMPT_COMPLETION = "prompt_completion.jsonl"
CARD = "card.md"


def export_run(directory: RunDirectory) -> ExportReport:
    """Write the exports of a run anew and return what is in them.

    Rows show as many earlier steps as the teacher saw when it decided.

    Raises:
        DataError: a file cannot be written or does not read back.
    """
    folder = directory.path / FOLDER
    history = directory.config.collect.history
    refined = directory.refined
    report = export_messages(refined, folder / MESSAGES, history=history)
    export_prompt_completion(refined, folder / PROMPT_COMPLETION, history=history)
    report = report.with_(
        damaged=refined.damaged,
        files=tuple(f"{FOLDER}/{name}" for name in (MESSAGES, PROMPT_COMPLETION, CARD)),
    )
    card = write_card(directory.path.name, refined, report)
    write_atomically(folder / CARD, card.encode())
    return report
