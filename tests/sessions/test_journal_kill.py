"""kill -9 in the middle of writing: every event that was announced is in the file, none twice."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sessions import events as ev
from sessions.journal import Journal
from sessions.transcript import open_transcript

WRITER = """
import sys
from pathlib import Path
from sessions import events as ev
from sessions.journal import Journal

with Journal(Path(sys.argv[1]), secrets=()) as journal:
    n = 0
    while True:
        n += 1
        event = ev.Note(id="", text="x" * (n * 37 % 3000))
        if n % 97 == 0:
            event = ev.QuestionAsked(id="", questioner="human", text="why?")
        print(journal.append(event).id, flush=True)
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_writer_loses_nothing_that_it_told(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    told: list[str] = []
    for _ in range(2):  # the second writer goes on in what the first left
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        for _ in range(rng.randrange(1, 400)):
            told.append(writer.stdout.readline().strip())
        writer.send_signal(signal.SIGKILL)
        told += [line.strip() for line in writer.stdout if line.endswith("\n")]
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
    with Journal(tmp_path, secrets=()) as journal:
        last = journal.append(ev.Note(id="", text="after"))
    transcript = open_transcript(tmp_path)
    ids = [event.id for event in transcript.events]
    assert len(set(ids)) == len(ids)
    assert set(told) <= set(ids)
    assert len(set(told)) == len(told)
    assert ids[-1] == last.id
    assert transcript.damaged == 0
