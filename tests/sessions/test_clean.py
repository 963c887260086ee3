"""What a journal takes out of events and mends in them before it writes them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions import events as ev
from sessions import journal as journal_module
from sessions.clean import MAX_DEPTH, Cleaner, clipped, mend
from sessions.errors import StorageError
from sessions.journal import Journal
from sessions.redaction import secret_values
from sessions.transcript import open_transcript

FAKE = "a1B2" * 12


def written(folder: Path, event: ev.AnyEvent, **environment: str) -> ev.AnyEvent:
    """What `append` gave back; it is also what a reader finds."""
    with Journal(folder, environment=environment) as journal:
        back = journal.append(event)
    assert open_transcript(folder).events[-1] == back
    return back


def test_a_count_that_equals_a_secret_stays_a_count(tmp_path: Path) -> None:
    usage = ev.Usage(id="", input_tokens=10_000_000)
    assert written(tmp_path, usage, ACCOUNT_TOKEN="10000000") == usage.model_copy(update={"id": "e1"})


_SECRETS = st.one_of(
    st.sampled_from(["human_message", "input_tokens", "schema_version", "completion", '{"kind":"note"'][:4]),
    st.text("0123456789", min_size=8, max_size=12),
    st.text("ab\"\\\n'é/:,{}1", min_size=8, max_size=12),
)


@given(secret=_SECRETS, before=st.text(max_size=8), after=st.text(max_size=8), number=st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_any_secret_leaves_every_text_and_no_event(secret: str, before: str, after: str, number: int) -> None:
    cleaner = Cleaner((secret,))
    words = before + secret + after
    nested = {"command": words, "list": [words, {"deep": words}], "count": number}
    events: list[ev.AnyEvent] = [
        ev.HumanMessage(id="e1", text=words),
        ev.ToolCall(id="e2", call="c", tool="Bash", input=nested),
        ev.Usage(id="e3", input_tokens=number),
        ev.Claim(id="e4", claim="completion", quote=words),
        ev.Evaluation(
            id="e5", evaluation="v", status="OK", scenarios=(ev.ScenarioResult(id="s", status=words),)
        ),
        ev.UnknownEvent.model_validate({"kind": "new", "id": "e6", "later": {"text": words}}),
    ]
    for event in events:
        clean = cleaner.event(event)
        assert ev.parse_event(ev.dump_event(clean)) == clean
        assert (clean.id, clean.kind) == (event.id, event.kind)
        assert secret not in _texts(
            clean.model_dump(mode="json", exclude={"kind", "schema_version", "claim"})
        )


def _texts(value: Any) -> str:
    if isinstance(value, dict):
        return "\0".join(_texts(item) for item in value.values())
    if isinstance(value, list):
        return "\0".join(map(_texts, value))
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(
    "text",
    [
        f"key sk-ant-api03-{FAKE}",
        "AKIA" + "A2B3" * 4,
        f"ghp_{FAKE[:36]}",
        f'curl -H "x-api-key: {FAKE}"',
        f"Authorization: Bearer {FAKE}",
    ],
)
def test_known_shapes_never_reach_the_file(tmp_path: Path, text: str) -> None:
    result = written(tmp_path, ev.ToolResult(id="", call="c", output=f"{text}\nok"))
    assert isinstance(result, ev.ToolResult)
    assert result.output.endswith("\nok")
    call = written(tmp_path, ev.ToolCall(id="", call="c", tool="Bash", input={"command": text}))
    assert isinstance(call, ev.ToolCall)
    data = (tmp_path / "events.jsonl").read_text()
    assert not any(part in data for part in (FAKE[:30], "A2B3A2B3"))


@pytest.mark.parametrize(
    "value",
    ["abcdefghijklmnop", "/3xF+cretBase64", "https://hooks.example/T0/B0/abc", 'quo"te\\back', "two\nlines1"],
)
def test_values_of_secret_named_variables_never_reach_the_file(tmp_path: Path, value: str) -> None:
    assert secret_values({"MY_TOKEN": value}) == (value,)
    printed = f"env: {value}; as JSON: {json.dumps(value)}"
    result = written(tmp_path, ev.ToolResult(id="", call="c", output=printed), MY_TOKEN=value)
    assert isinstance(result, ev.ToolResult)
    assert result.output == 'env: [secret]; as JSON: "[secret]"'


def test_code_about_tokens_is_left_alone() -> None:
    code = (
        "token_id = blockIdx.x * 4 + offset12345\ntoken = tokens[i + 12345678]\npad_token = '<|endoftext|>'\n"
        "api_key = os.environ['X']\npassword = getpass.getpass()\nsecret: str\nBearer of bad news\n"
        "num_token = threads_per_block"
    )
    event = ev.Edit(id="e1", path="moe.cu", diff=code)
    assert Cleaner().event(event) is event


def test_lone_surrogates_are_mended_wherever_they_stand(tmp_path: Path) -> None:
    assert mend({"a\ud800": ["\udcff", 1]}) == {"a\ufffd": ["\ufffd", 1]}
    text = written(tmp_path, ev.AgentText(id="", text="half \ud800 pair"))
    assert isinstance(text, ev.AgentText)
    assert text.text == "half \ufffd pair"
    started = ev.SessionStarted(id="", session="s", agent_name="a", cwd="/home/\udcff")
    back = written(tmp_path, started)
    assert isinstance(back, ev.SessionStarted)
    assert back.cwd == "/home/\ufffd"
    written(tmp_path, ev.ToolCall(id="c\udc80", call="\ud800", tool="x", input={"\udfff": ["\ud800"]}))


def test_input_nested_beyond_what_json_readers_take_is_written(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(MAX_DEPTH + 300):
        deep = [deep]
    call = written(tmp_path, ev.ToolCall(id="", call="c", tool="x", input={"deep": deep, "flat": 1}))
    assert isinstance(call, ev.ToolCall)
    assert call.input["flat"] == 1
    assert "nested too deeply" in str(call.input)


def test_an_event_longer_than_a_readable_line_is_clipped_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_LINE", 20_000)
    output = "first\n" + "\0" * 50_000 + "\nlast"
    result = written(tmp_path, ev.ToolResult(id="", call="c", output=output))
    assert isinstance(result, ev.ToolResult)
    assert result.output.startswith("first\n")
    assert result.output.endswith("\nlast")
    assert "characters left out]" in result.output
    wide = {f"k{n}": n for n in range(5_000)}
    call = written(tmp_path, ev.ToolCall(id="", call="c", tool="x", input=wide))
    assert isinstance(call, ev.ToolCall)
    assert 0 < len(call.input) < 5_000
    lines = (tmp_path / "events.jsonl").read_bytes().split(b"\n")
    assert max(map(len, lines)) <= 20_000


def test_what_cannot_be_clipped_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_LINE", 300)
    rows = tuple(ev.ScenarioResult(id=f"s{n}", status="OK") for n in range(50))
    with Journal(tmp_path, secrets=()) as journal:
        with pytest.raises(StorageError, match="cannot be written"):
            journal.append(ev.Evaluation(id="", evaluation="v", status="OK", scenarios=rows))
        journal.append(ev.Note(id="", text="after"))


def test_clipping_keeps_head_and_tail() -> None:
    event = clipped(ev.Note(id="n", text="a" * 100 + "z" * 100), 20)
    assert event.text == "a" * 10 + "\n[180 characters left out]\n" + "z" * 10


HOSTILE = [
    "-eyJ",
    "a_",
    "eyJaaaaaaaaa.",
    "-----BEGIN PRIVATE KEY",
    "token",
    "sk-",
    "Bearer ",
    "secret=",
    "curl ",
    "curl -u a",
    "mysql ",
    "login a password ",
    "cookie=a;",
    "Authorization: Basic ",
    "1111111:A",
    "\x1b[",
    "%2Fhome%2F",
    "ann%2E",
    "-api-key: ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_ends(piece: str) -> None:
    # A pattern that starts anew at each piece would take minutes here.
    Cleaner().event(ev.Note(id="n", text=piece * 300_000))
