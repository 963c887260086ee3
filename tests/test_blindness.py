"""What ranks and asks questions opens no rehearsal script, by import or by path."""

import subprocess
import sys

PROBE = """
import sys
opened = []
sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name == "open" else None)
from bank.bank import Bank
from kernelseek_tui.hindsight import Seer
from kernelseek_tui.questioners.bank import FromBank
from kernelseek_tui.questioners.random import AtRandom
from sessions import events as ev
events = [
    ev.HumanMessage(id="h", text="Make the kernel fast; the goal is 2x."),
    ev.AgentText(id="a", text="This is the hardware limit. The optimization is complete."),
    ev.TurnEnded(id="t"),
]
bank = Bank.load()
seer = Seer(bank)
moments = [moment for event in events for moment in seer.see(event)]
assert moments, "no moment: the probe proves nothing"
assert any("entries" in path for path in opened), "the hook sees nothing"
from sessions.state import fold
for questioner in (FromBank(), AtRandom([(e.id, e.question) for e in bank.entries], 0)):
    questioner.decide(fold(events), moments[0].decision, moments[0].suggestions)
print([path for path in opened if "scripts" in path and "agents" in path])
"""


def test_no_script_is_opened() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
