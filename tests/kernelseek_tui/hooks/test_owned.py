import io
import json
from pathlib import Path

from kernelseek_tui.hooks.owned import owned_settings, release
from kernelseek_tui.hooks.run import answer
from tests.kernelseek_tui.hooks.workspaces import MadeWorkspace, stop_input

SESSION = "0f0f0f0f-1111"


def stop(made: MadeWorkspace, session: str = SESSION) -> object:
    given = io.BytesIO(stop_input(made.root, session=session))
    return answer("stop", given, made.home, SESSION).get("decision")


def test_an_owned_session_is_held_to_its_goal_and_a_client_it_starts_is_not(made: MadeWorkspace) -> None:
    settings = owned_settings(made.home, SESSION, "k", made.root)
    assert set(settings["hooks"]) == {"Stop"}
    assert SESSION in settings["hooks"]["Stop"][0]["hooks"][0]["command"]
    json.dumps(settings)
    made.judged(slow=(0,))
    assert stop(made) == "block"
    assert stop(made, session="another-one") is None
    made.judged()
    assert stop(made) is None


def test_an_ended_session_is_left_alone(made: MadeWorkspace) -> None:
    owned_settings(made.home, SESSION, "k", made.root)
    release(made.home, SESSION)
    assert stop(made) is None


def test_nothing_of_the_project_is_touched(made: MadeWorkspace) -> None:
    before = sorted(made.root.rglob("*"))
    owned_settings(made.home, SESSION, "k", Path(made.root))
    assert sorted(made.root.rglob("*")) == before


def test_the_agent_cannot_walk_out_of_its_goal(made: MadeWorkspace, tmp_path: Path) -> None:
    owned_settings(made.home, SESSION, "k", made.root)
    made.judged(slow=(0,))
    elsewhere = io.BytesIO(stop_input(tmp_path, session=SESSION))
    assert answer("stop", elsewhere, made.home, SESSION)["decision"] == "block"


def test_a_workspace_whose_mark_is_gone_is_unknown_and_not_free(made: MadeWorkspace) -> None:
    owned_settings(made.home, SESSION, "k", made.root)
    made.judged(slow=(0,))
    (made.root / ".kernelseek").rename(made.root / "gone")
    given = io.BytesIO(stop_input(made.root, session=SESSION))
    said = answer("stop", given, made.home, SESSION)
    assert said["decision"] == "block"
    assert "not to be found" in str(said["reason"])
