"""The report as JSON: the whole model, every row of it."""

import json
from dataclasses import asdict

from kernelseek_tui.reports.model import Report


def render(report: Report) -> str:
    """One object, `schema_version` first; field names are the model's, all texts are data."""
    found = asdict(report)
    ordered = {"schema_version": found.pop("schema_version"), "rehearsed": report.rehearsed, **found}
    for session, made in zip(report.sessions, ordered["sessions"], strict=True):
        made["score"]["named"] = session.score.named
    return json.dumps(ordered, indent=1, allow_nan=False) + "\n"
