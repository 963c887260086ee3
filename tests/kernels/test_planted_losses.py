"""The four kinds of loss that the study's cases turned on (arXiv 2611.03517), planted in candidates: what the
judge prints has to name the scenarios or the layer. Slow: each is built, checked and timed."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.judge import evaluate
from harness.operator import Operator
from harness.protocol import Protocol
from harness.record.record import Record
from harness.request import EvaluationRequest
from harness.verdict import Outcome, exit_code
from kernels.attention.operator import OPERATOR
from kernelseek_tui.cli.evaluation_text import evaluation_text

pytest.importorskip("torch")
pytestmark = pytest.mark.judge

START = OPERATOR.start.read_text()
PLAN = (
    "Extent plan_extent(const ks_params &) { return {kMaxBatch, kMaxSeq, kMaxSeq}; }",
    "Extent plan_extent(const ks_params &p) { return {p.batch, p.seq_q, p.seq_k}; }",
)
"""The start's own loss, taken away where a candidate has to be faster than it."""
RETURN = 'extern "C" int ks_abi_version(void)'
ROUTE = "bool takes_tiled_path(const ks_params &p) { return p.window == 0 && p.head_dim <= kMaxHeadDim; }"
ENTRY = "  const ks_params &p = *params;\n  if (!is_plain(p)) {\n"


def planted(*edits: tuple[str, str]) -> str:
    source = START
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


def judge(
    source: str, ids: tuple[str, ...], folder: Path, *, check_only: bool = False, blocks: int = 4
) -> tuple[Record, str]:
    """The record, and what `kernelseek evaluate` prints of it."""
    chosen = tuple(one for one in OPERATOR.sets["full"] if one.id in ids)
    assert len(chosen) == len(ids)
    operator: Operator = replace(OPERATOR, sets={"planted": chosen}, default_set="planted")  # type: ignore[type-var]
    path = folder / "candidate.cpp"
    path.write_text(source)
    request = EvaluationRequest(
        operator=operator.name,
        candidate=path,
        blocks=blocks,
        check_only=check_only,
        cache=folder / "cache",
        candidates=folder / "candidates",
    )
    record = evaluate(request, operator=operator, protocol=replace(Protocol(), aa_scenarios=1))
    return record, evaluation_text(record, path, None, exit_code(record.status))


def hint(text: str) -> str:
    """The lines that say what scenarios have in common."""
    return "\n".join(line for line in text.splitlines() if line.startswith("hint"))


def test_a_slow_general_path_for_some_head_dims(tmp_path: Path) -> None:
    route = ROUTE.replace("p.head_dim <= kMaxHeadDim", "p.head_dim % 128 != 96 && p.head_dim != 192")
    ids = (
        "mha-d64-q64-k96",
        "gqa-causal-d128-q64-k64",
        "mha-causal-d128-q96-k96",
        "gqa-d64-q96-k192",
        "mqa-d64-q96-k192",
        "gqa-causal-d96-q64-k160",
        "mha-causal-d96-q160-k160",
        "mha-causal-d192-q128-k128",
        "mqa-causal-d192-q128-k128",
        "mqa-causal-d256-q128-k128",
    )
    record, text = judge(planted(PLAN, (ROUTE, route)), ids, tmp_path)
    assert record.status is Outcome.CORRECT
    slowest = [one.id for one in record.aggregate.worst_five]
    assert {one for one in ids if "-d96-" in one or "-d192-" in one} <= set(slowest)
    assert "head_dim in 96, 192" in hint(text)


def test_a_fill_on_the_host_in_every_call(tmp_path: Path) -> None:
    fill = (
        "  static char scratch[24 << 20];\n  static unsigned char turn;\n"
        "  std::memset(scratch, ++turn, sizeof scratch);\n"
        '  asm volatile("" : : "r"(scratch) : "memory");\n'
    )
    ids = (
        "mha-d64-q64-k96",
        "gqa-causal-d128-q64-k64",
        "mha-d80-q64-k128",
        "gqa-causal-d96-q64-k160",
        "mqa-d64-q96-k192",
        "mqa-causal-d256-q128-k128",
        "decode-mha-causal-d64-q4-k512",
    )
    record, text = judge(planted(PLAN, (ENTRY, fill + ENTRY)), ids, tmp_path)
    assert record.status is Outcome.CORRECT
    assert "of every call do not depend on its work" in hint(text)
    assert "host" in hint(text)


def test_wrong_results_only_on_sink_and_left_padding(tmp_path: Path) -> None:
    no_sink = ("  float sum = p.sink ? std::exp(sink - top) : 0.0f;", "  float sum = 0.0f;")
    no_pad = (
        "const int first_slot = p.left_pad ? p.seq_k - lengths.seq_k : 0;",
        "const int first_slot = 0;",
    )
    ids = (
        "mha-d64-q64-k96",
        "softcap-gqa-d64-q80-k160-c20-bf16",
        "ragged-mha-d64-q48-k192-b3",
        "paged-mha-causal-d64-q160-k160-p32",
        "sink-mha-causal-d128-q128-k128",
        "sink-gqa-d96-q80-k128",
        "left-mha-causal-d64-q128-k128-b3",
        "left-gqa-causal-d96-q96-k96-b4-bf16",
    )
    record, text = judge(planted(no_sink, no_pad), ids, tmp_path, check_only=True)
    assert record.status is Outcome.WRONG
    wrong = {one.id for one in record.scenarios if one.check}
    assert wrong == {one for one in ids if one.startswith(("sink", "left"))}
    assert all(one in text for one in wrong)
    said = hint(text)
    assert "All 4 wrong scenarios, and none of the 4 right, have" in said
    assert "sink" in said
    assert "left" in said


def test_one_family_fixed_and_the_rest_left(tmp_path: Path) -> None:
    route = ROUTE.replace("p.window == 0 && ", "")
    ids = (
        "mha-d64-q64-k96",
        "mha-causal-d128-q96-k96",
        "gqa-d64-q96-k192",
        "mqa-d64-q96-k192",
        "decode-mha-causal-d64-q4-k512",
        "window-mha-causal-d96-q192-k192-w128",
        "window-gqa-causal-d64-q256-k256-w160",
    )
    record, text = judge(planted((ROUTE, route)), ids, tmp_path, blocks=8)
    assert record.status is Outcome.CORRECT
    slow = {one.id for one in record.aggregate.worst_five}
    assert slow == {one for one in ids if not one.startswith("window")}
    assert "family = window" in hint(text)
    assert "the others are where they were" in hint(text)
