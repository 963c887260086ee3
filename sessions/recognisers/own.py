"""What `kernelseek evaluate` prints (`kernelseek_tui.cli.evaluation_text`): stable, so all of it is read."""

import re

from sessions.events import ToolCall
from sessions.recognisers.protocol import Recognised, Row
from sessions.recognisers.words import NS, NUMBER, finite

_VERDICT = re.compile(r"^VERDICT (?P<word>[a-z ]+) \(exit (?P<code>\d{1,3})\): (?P<why>.*)$", re.MULTILINE)
_SET = re.compile(
    rf"^set (?P<set>.+?): (?:geomean (?P<mean>{NUMBER})x \((?P<low>{NUMBER})\.\.(?P<high>{NUMBER})\)"
    r"(?: (?P<verdict>[A-Z]+))? over (?P<over>.+?)|(?P<none>score 0|no geometric mean).*?);"
    r" (?P<part>\d+)/(?P<all>\d+) correct"
    rf"(?:; A/A floor (?P<floor>{NUMBER})%)?(?:; (?P<seconds>{NUMBER}) s)?$",
    re.MULTILINE,
)
_HEAD = re.compile(
    r"^scenario  +status  +ratio  +interval  +verdict  +(?P<over>\S.*?)  +candidate$", re.MULTILINE
)
_ROW = re.compile(
    rf"(?P<id>\S.*?)  +(?P<status>[A-Z_]+)  +(?:(?P<ratio>{NUMBER})x|-)"
    rf"  +(?:(?P<low>{NUMBER})\.\.(?P<high>{NUMBER})|-)"
    rf"  +(?P<verdict>[A-Z]+|-)  +(?:(?P<base>{NUMBER}) ms|-)  +(?:(?P<ours>{NUMBER}) ms|-)"
)
_UNMET = re.compile(r"^unmet (.+)$", re.MULTILINE)
_RECORD = re.compile(r"^record (.+) \([^()]*owner[^()]*\)$", re.MULTILINE)
_STATUS = {
    "goal met": "CORRECT",
    "correct": "CORRECT",
    "goal unmet": "CORRECT",
    "ambiguous": "CORRECT",
    "unsupported": "UNSUPPORTED",
    "wrong": "WRONG",
    "does not build": "BUILD_FAILED",
    "timeout": "TIMEOUT",
    "broke a rule": "POLICY",
    "not judged": "INFRASTRUCTURE",
    "own benchmark": "PARSED",
    "own benchmark is wrong": "WRONG",
}


class OwnEvaluation:
    """Recognises an evaluation by its verdict line. It stays `parsed`: a transcript proves no judge."""

    name = "kernelseek evaluate"

    def look(self, text: str, call: ToolCall | None) -> Recognised | None:
        """The last evaluation in the output."""
        if "VERDICT " not in text:
            return None
        verdicts = list(_VERDICT.finditer(text))
        if not verdicts or verdicts[-1]["word"] not in _STATUS:
            return None
        verdict = verdicts[-1]
        # What stands between the verdict before and this one; the record's path comes behind it.
        part = text[verdicts[-2].end() if len(verdicts) > 1 else 0 : verdict.start()]
        whole, head = _SET.search(part), _HEAD.search(part)
        record = _RECORD.search(text, verdict.end())
        floor = finite(whole["floor"]) if whole and whole["floor"] else None
        return Recognised(
            status=_STATUS[verdict["word"]],
            rows=_rows(part[head.end() :], head["over"].strip()) if head else (),
            geomean=_number(whole, "mean"),
            low=_number(whole, "low"),
            high=_number(whole, "high"),
            label="geometric mean",
            over=(whole["over"] or "") if whole else "",
            scenario_set=whole["set"] if whole else "",
            correct=int(whole["part"]) if whole else 0,
            total=int(whole["all"]) if whole else 0,
            noise_floor=floor / 100 if floor is not None else None,
            exit_code=int(verdict["code"]),
            seconds=_number(whole, "seconds"),
            unmet=tuple(_UNMET.findall(part)),
            record=record[1] if record else "",
            quote=verdict["why"][:400],
            whole=True,
        )


def _rows(text: str, over: str) -> tuple[Row, ...]:
    rows: list[Row] = []
    for line in text.split("\n")[1:]:
        if line.startswith("    ") and rows:
            continue  # evidence under a row
        found = _ROW.fullmatch(line.rstrip())
        if found is None:
            break
        base, ours = _number(found, "base"), _number(found, "ours")
        rows.append(
            Row(
                id=found["id"],
                ratio=_number(found, "ratio"),
                over=over,
                candidate_ns=ours * NS["ms"] if ours is not None else None,
                baselines={over: base * NS["ms"]} if base is not None else {},
                low=_number(found, "low"),
                high=_number(found, "high"),
                verdict=None if found["verdict"] == "-" else found["verdict"],
                status=found["status"],
            )
        )
    return tuple(rows)


def _number(found: re.Match[str] | None, name: str) -> float | None:
    return finite(found[name]) if found is not None and found[name] else None
