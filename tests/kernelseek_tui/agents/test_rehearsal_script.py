from pathlib import Path
from typing import Any

import pytest
import yaml

import kernels.attention
from kernelseek_tui.agents.rehearsal.script import DEFAULT, ScriptError, load_script

START = Path(kernels.attention.__file__).with_name("start.cpp")

GOOD: dict[str, Any] = {
    "version": 1,
    "name": "t",
    "operator": "o",
    "candidate": "c.cpp",
    "losses": {"a": {"layer": "host", "words": {"strong": ["host"]}}},
    "variants": [{"blind": "a"}],
    "rest": "Resting.",
    "start": "one",
    "states": {"one": {"turns": [{"say": "Hello."}]}},
}


def refused(folder: Path, **changed: Any) -> str:
    path = folder / "script.yaml"
    path.write_text(yaml.safe_dump({**GOOD, **changed}))
    with pytest.raises(ScriptError) as caught:
        load_script(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


def turn(**keys: Any) -> dict[str, Any]:
    return {"one": {"turns": [keys]}}


def test_the_script_of_the_attention_demo_loads_for_every_seed():
    script = load_script(DEFAULT)
    assert set(script.losses) == {"host", "routing"}
    assert {script.variant(seed)["found"] for seed in (0, 1)} == {"host", "routing"}
    assert script.variant(2) == script.variant(0)


@pytest.mark.parametrize("order", [("fix_host", "fix_routing"), ("fix_routing", "fix_host")])
def test_every_edit_applies_to_the_start_once_whenever_it_comes(order):
    script = load_script(DEFAULT)
    others = [name for name in script.replacements if not name.startswith("fix_")]
    for names in ([*order, *others], [order[0], *others, order[1]]):
        text = START.read_text()
        for name in names:
            for pair in script.replacements[name]:
                assert text.count(pair.old) == 1, name
                text = text.replace(pair.old, pair.new)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"surprise": 1}, "unknown key 'surprise'"),
        ({"states": turn(say="x", sayy="y")}, "unknown key 'sayy' in states.one.turns.0"),
        ({"replacements": {}}, "unknown key 'replacements'"),
        ({"version": 2}, "version"),
        ({"states": turn(say="{{nothing}}")}, "states.one.turns.0: {{nothing}} is not a variable"),
        ({"states": turn(edit="fix")}, "there is no edit 'fix'"),
        ({"states": turn(say="x", capture={"n": "(1)"})}, "nothing to capture from"),
        ({"states": turn(call={"tool": "Bash", "input": {}}, capture={"n": "(1)"})}, "no first value"),
        (
            {"states": turn(call={"tool": "Bash", "input": {}}, capture={"n": "("})},
            "not a regular expression",
        ),
        ({"states": turn(call={"tool": "Bash", "input": {}}, capture={"n": "1"})}, "must have 1 group"),
        ({"states": turn(call={"tool": "Rm", "input": {}})}, "states.one.turns.0.call.tool"),
        ({"start": "two"}, "start: there is no state 'two'"),
        ({"states": {"one": {"turns": [{"say": "x"}], "next": "{{blond}}"}}}, "not a key of the variant"),
        ({"on_message": [{"bears": "z", "say": "x"}]}, "on_message.0: there is no loss or topic 'z'"),
        ({"on_message": [{"limit": 1}]}, "leads somewhere"),
        ({"on_message": [{"go": "one", "enter": "one"}]}, "not both"),
        ({"edits": "absent.yaml"}, "absent.yaml cannot be read"),
        ({"variants": []}, "variants"),
    ],
)
def test_a_script_that_cannot_be_played_is_refused_in_a_sentence(tmp_path, changed, words):
    assert words in refused(tmp_path, **changed)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a: [", "not YAML at line"),
        (b"- 1", "not a mapping"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b"", "not a map"),
    ],
)
def test_a_file_that_is_no_script_is_refused_in_a_sentence(tmp_path, content, words):
    path = tmp_path / "script.yaml"
    path.write_bytes(content)
    with pytest.raises(ScriptError, match=words):
        load_script(path)
