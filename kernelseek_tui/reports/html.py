"""The report as one HTML file: nothing is loaded, nothing runs, light and dark by the reader's own setting.

Every text of a session is escaped and its control characters are shown. A policy in the head forbids scripts
all the same. Long tables are folded, and cut so that the file stays small; what was cut is said.
"""

from collections.abc import Iterator
from html import escape

from kernelseek_tui.plain import visible
from kernelseek_tui.reports.document import Block, Heading, Picture, Table, Words, document
from kernelseek_tui.reports.model import REHEARSED, Report
from kernelseek_tui.reports.svg import curve, note

BUDGET = 3_000_000
"""Bytes that the page of one session may have."""
_ROWS = (300, 120, 40, 12)  # a table's rows: the first of these that keeps the page within its budget

_STYLE = """
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--paper:#fff;--wash:#f6f8fa;
--mark:#cf222e}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--paper:#0d1117;
--wash:#151b23;--mark:#ff7b72}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 20px 80px}
h1{font-size:1.6rem;overflow-wrap:anywhere}h2{margin-top:3rem;overflow-wrap:anywhere}h3{margin:2.2rem 0 .4rem}
p{margin:.4rem 0;overflow-wrap:anywhere}
.mark{border-left:4px solid var(--mark);padding:.3rem .7rem;background:var(--wash)}
.wide{overflow-x:auto}svg{max-width:100%;height:auto;display:block;margin:.6rem 0}
table{border-collapse:collapse;width:100%;font-size:.86rem;margin:.4rem 0}
th,td{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left;vertical-align:top;
overflow-wrap:anywhere;min-width:3.2rem}td{white-space:pre-line}
th{color:var(--soft);font-weight:600;overflow-wrap:normal}td.s{overflow-wrap:normal}.n{text-align:right;font-variant-numeric:tabular-nums}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--soft)}.cut{color:var(--soft)}
""".strip()
_HEAD = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
)

_SHORT = 40  # characters of a cell whose words are not broken
_MARK = {True: ' class="mark"', False: ""}


def render(report: Report, budget: int = BUDGET) -> str:
    """The page. Its size is at most about `budget` bytes a session."""
    blocks = list(document(report))
    page = ""
    for rows in _ROWS:
        page = "".join(_page(report, blocks, rows))
        if len(page.encode("utf-8")) <= budget * max(1, len(report.sessions)):
            break
    return page


def words(text: str) -> str:
    """Text of a session as it may stand between tags: line ends stay, what a browser would obey does not."""
    return escape(visible(text), quote=True)


def _page(report: Report, blocks: list[Block], rows: int) -> Iterator[str]:
    title = ("REHEARSED " if report.rehearsed else "") + f"Session report: {report.title}"
    yield f"{_HEAD}<title>{words(title)}</title><style>{_STYLE}</style></head><body><main>\n"
    for block in blocks:
        match block:
            case Heading():
                yield f"<h{block.level}>{words(block.text)}</h{block.level}>\n"
            case Words():
                yield f"<p{_MARK[block.mark]}>{words(block.text)}</p>\n"
            case Picture():
                yield f'<div class="wide">{curve(block.session)}</div>\n'
                if left := note(block.session):
                    yield f'<p class="cut">{words(left)}</p>\n'
            case Table():
                yield from _table(block, rows)
    if report.rehearsed:
        yield f'<p class="mark">{words(REHEARSED)}</p>\n'
    yield "</main></body></html>\n"


def _table(table: Table, most: int) -> Iterator[str]:
    if not table.rows:
        return
    head = f"{table.title} ({len(table.rows):,})" if table.long else table.title
    opened = " open" if len(table.rows) <= 12 else ""
    yield f"<details{opened}><summary>{words(head)}</summary>" if table.long else ""
    yield '<div class="wide"><table><thead><tr>'
    for place, column in enumerate(table.columns):
        yield f"<th{_kind(table, place)}>{words(column)}</th>"
    yield "</tr></thead><tbody>\n"
    for row in table.rows[:most]:
        yield "<tr>"
        for place, cell in enumerate(row):
            short = ' class="s"' if len(cell) <= _SHORT else ""
            yield f"<td{_kind(table, place) or short}>{words(cell)}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>"
    if len(table.rows) > most:
        left = len(table.rows) - most
        yield f'<p class="cut">{left:,} more rows are left out here; the JSON format has them all.</p>'
    yield "</details>\n" if table.long else "\n"


def _kind(table: Table, place: int) -> str:
    return ' class="n"' if place in table.numbers else ""
