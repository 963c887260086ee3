"""How large the report of a 2,000-event session is, and how long it takes to make and to open in Chromium.

    python benchmarks/report.py [TRANSCRIPT] [--events N]

Without a transcript, a session is made up: claims, messages and measurements all the way, texts of a few
thousand characters. Opening is `chromium --headless --dump-dom`, best of three, beside the same for an empty
page; it is left out where no `chromium` is on the path.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bank.bank import Bank
from kernelseek_tui.reports import as_json, html, markdown
from kernelseek_tui.reports.build import report_of, session_report
from sessions import events as ev

WORDS = "The decode path reads its keys twice, and the second read misses the cache: 3.2 us of 14.7 us. " * 20
CLAIMS = "This is the hardware limit. All tasks are complete."


def made_up(events: int) -> list[ev.AnyEvent]:
    found: list[ev.AnyEvent] = [
        ev.SessionStarted(id="", session="s", agent_name="made up", candidate="k.cu", rehearsed=True)
    ]
    while len(found) < events:
        turn = len(found)
        found += [
            ev.HumanMessage(id="", text=f"Which of the {turn} scenarios hold the mean back? {WORDS}"),
            ev.ToolCall(id="", call=f"a{turn}", tool="Bash", input={"command": f"ncu ./bench {turn}"}),
            ev.ToolResult(id="", call=f"a{turn}", output=WORDS),
            ev.ToolCall(
                id="", call=f"b{turn}", tool="Edit", input={"file_path": "k.cu", "new_string": WORDS}
            ),
            ev.Edit(
                id="",
                path="k.cu",
                candidate=True,
                diff=f"@@ -1,1 +1,1 @@\n-a line {turn}\n+a line {turn + 1}\n",
            ),
            ev.ToolResult(id="", call=f"b{turn}", output="ok"),
            ev.Evaluation(id="", evaluation="e", status="CORRECT", geomean=1 + turn / events, exit_code=0),
            ev.AgentText(id="", text=f"{CLAIMS if turn % 32 == 1 else ''} {WORDS}"),
        ]
    start = datetime(2026, 11, 29, tzinfo=UTC)
    return [
        event.model_copy(update={"id": f"e{place}", "time": start + timedelta(seconds=9 * place)})
        for place, event in enumerate(found[:events])
    ]


def opening(chromium: str, page: Path, profile: Path) -> float:
    options = ["--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}"]
    options += ["--no-sandbox"] if os.geteuid() == 0 else []
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([chromium, *options, "--dump-dom", page.as_uri()], capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcript", type=Path, nargs="?")
    parser.add_argument("--events", type=int, default=2000)
    options = parser.parse_args()
    bank = Bank.load()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = options.transcript
        if path is None:
            path = folder / "made-up.jsonl"
            lines = [ev.dump_event(event) + "\n" for event in made_up(options.events)]
            path.write_text("".join(lines), encoding="utf-8")
        start = time.perf_counter()
        report = report_of([session_report(path, bank)], bank)
        print(f"read and reviewed {report.sessions[0].entries} entries: {time.perf_counter() - start:.2f} s")
        for form, render in (("html", html.render), ("md", markdown.render), ("json", as_json.render)):
            start = time.perf_counter()
            text = render(report)
            spent = time.perf_counter() - start
            print(f"{form:>5}: {len(text.encode()) / 1e6:.2f} MB in {spent:.2f} s")
        chromium = shutil.which("chromium")
        if chromium is None:
            print("no chromium on the path: opening not measured")
            return
        page, empty = folder / "report.html", folder / "empty.html"
        page.write_text(html.render(report), encoding="utf-8")
        empty.write_text("<!DOCTYPE html><title>x</title>", encoding="utf-8")
        opened, bare = (opening(chromium, one, folder / "profile") for one in (page, empty))
        print(f"opened in Chromium: {opened:.2f} s, an empty page {bare:.2f} s")


if __name__ == "__main__":
    main()
