"""The page in a real browser: it opens, shows its text and curve, and runs and loads nothing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kernelseek_tui.reports import html
from tests.kernelseek_tui.reports.reported import report, reported, story
from tests.kernelseek_tui.reports.test_reports import HOSTILE

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on this machine (Debian's package of that name brings it)"
)


@needs_chromium
def test_the_page_opens_and_hostile_text_stays_text(tmp_path: Path) -> None:
    made = report(reported(story(rehearsed=True, said=f"{HOSTILE}<script>document.title='run'</script>")))
    page = tmp_path / "report.html"
    page.write_text(html.render(made), encoding="utf-8")
    assert CHROMIUM is not None
    options = ["--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={tmp_path / 'profile'}"]
    if sys.platform == "linux" and os.geteuid() == 0:
        options.append("--no-sandbox")  # its sandbox refuses root
    done = subprocess.run(
        [CHROMIUM, *options, "--dump-dom", page.as_uri()], capture_output=True, timeout=60, check=True
    )
    dom = done.stdout.decode("utf-8")
    assert "<title>REHEARSED Session report" in dom
    assert "Claim ledger" in dom
    assert re.search(r'<svg[^>]*role="img"', dom)
    assert not re.search(r"<script|<img|\son\w+=(?=[^<]*>)", re.sub(r">[^<]*<", "><", dom))
