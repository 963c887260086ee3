import math
import re

from kernels.attention.bound import bound
from kernels.attention.full import FULL
from kernels.attention.operator import OPERATOR
from kernels.attention.problem import BFLOAT16, PARAMS_STRUCT, Problem
from kernels.attention.scenarios import DEMO, SETS, SMOKE

FAMILIES = {"mha", "gqa", "mqa", "window", "softcap", "sink", "ragged", "left", "paged", "chunk", "decode"}


def test_sets_are_of_the_promised_size_and_unique() -> None:
    assert set(SETS) == {"demo", "smoke", "full"}
    assert len(DEMO) == 4
    assert len(SMOKE) == 12
    assert len(FULL) >= 60
    assert all(s in SMOKE for s in DEMO)
    assert SETS["full"] == (*SMOKE, *FULL)
    for scenarios in SETS.values():
        assert len({s.id for s in scenarios}) == len(scenarios)
        assert len({tuple(sorted(s.params.items())) for s in scenarios}) == len(scenarios)


def test_one_id_means_one_problem_across_sets() -> None:
    known = {}
    for scenarios in SETS.values():
        for scenario in scenarios:
            assert known.setdefault(scenario.id, scenario) == scenario


def test_the_ids_that_scripts_and_records_name_are_still_there() -> None:
    assert [s.id for s in SMOKE] == [
        "mha-d64-q64-k96",
        "gqa-causal-d128-q64-k64",
        "window-mha-causal-d96-q192-k192-w128",
        "window-gqa-causal-d64-q256-k256-w160",
        "mha-d80-q64-k128",
        "mha-causal-d128-q96-k96",
        "mha-causal-d64-q128-k128",
        "gqa-d64-q96-k192",
        "gqa-causal-d96-q64-k160",
        "window-gqa-causal-d128-q64-k192-w64",
        "decode-gqa-causal-d128-q1-k512",
        "decode-mha-causal-d64-q4-k512",
    ]


def test_ids_begin_with_the_family_and_say_the_problem() -> None:
    for scenario in SETS["full"]:
        p = Problem.of(scenario)
        words = scenario.id.split("-")
        said = {*words, scenario.family}
        sharing = "mha" if p.heads == p.kv_heads else "mqa" if p.kv_heads == 1 else "gqa"
        assert words[0] == scenario.family
        assert {f"d{p.head_dim}", f"q{p.seq_q}", f"k{p.seq_k}", sharing} <= said
        assert ("causal" in said) == bool(p.causal)
        assert (f"w{p.window}" in said) == bool(p.window)
        assert (f"c{p.softcap:g}" in said) == bool(p.softcap)
        assert (f"p{p.page_size}" in said) == p.paged
        assert ("sink" in said) == bool(p.sink)
        assert ("left" in said) == bool(p.left_pad)
        assert ("ragged" in said) == bool(p.ragged and not p.left_pad)
        assert ("bf16" in said) == (p.dtype == BFLOAT16)
        assert re.fullmatch(r"[a-z0-9-]+", scenario.id)
        if scenario not in SMOKE:
            assert (f"b{p.batch}" in said) == (p.batch > 1)


def test_smoke_is_plain_and_spans_what_the_operator_is_called_with() -> None:
    problems = [Problem.of(s) for s in SMOKE]
    assert {s.family for s in SMOKE} == {"mha", "gqa", "window", "decode"}
    assert {s.family for s in DEMO} == {"mha", "gqa", "window"}
    assert {p.head_dim for p in problems} >= {64, 80, 96, 128}
    assert {p.causal for p in problems} == {0, 1}
    assert any(p.heads > p.kv_heads > 1 for p in problems)
    assert any(p.seq_q < p.seq_k and p.causal for p in problems)
    assert any(p.batch > 1 for p in problems)
    assert not any(p.paged or p.ragged or p.softcap or p.sink or p.dtype for p in problems)


def test_full_spans_every_feature_in_both_types_and_their_combinations() -> None:
    problems = [Problem.of(s) for s in FULL]
    assert {s.family for s in FULL} == FAMILIES
    assert {p.head_dim for p in problems} >= {64, 96, 128, 192, 256}
    for dtype in (0, BFLOAT16):
        some = [p for p in problems if p.dtype == dtype]
        assert {p.head_dim for p in some} >= {64, 96, 128, 192, 256}
        assert {p.causal for p in some} == {0, 1}
        assert any(p.window for p in some)
        assert any(p.softcap for p in some)
        assert any(p.sink for p in some)
        assert any(p.paged and p.ragged for p in some)
        assert any(p.left_pad for p in some)
        assert any(p.seq_q == 1 for p in some)
        assert any(1 < p.seq_q <= 4 for p in some)
        assert any(4 < p.seq_q < p.seq_k and p.paged for p in some)
        assert any(p.kv_heads == 1 for p in some)
        assert any(p.heads == p.kv_heads for p in some)
        assert any(p.heads > p.kv_heads > 1 for p in some)
    assert {p.page_size for p in problems if p.paged} >= {16, 32, 64, 128}
    assert any(p.window and p.softcap for p in problems)
    assert any(p.window and p.sink and p.ragged for p in problems)
    assert any(p.window and p.left_pad for p in problems)
    assert any(p.paged and p.window and p.seq_q == 1 for p in problems)


def test_every_problem_is_valid_and_fits_the_struct() -> None:
    for scenario in SETS["full"]:
        p = Problem.of(scenario)
        assert set(scenario.params) == {field.name for field in PARAMS_STRUCT}
        assert p.heads % p.kv_heads == 0
        assert p.seq_q <= p.seq_k
        assert p.window < p.seq_k
        assert p.seq_k > 16
        assert math.isclose(p.scale, p.head_dim**-0.5)
        assert p.pages == p.batch or p.paged
        assert p.pages_per_sequence >= 3 or not p.paged
        assert p.batch > 1 or not p.ragged
        assert p.ragged or not p.left_pad


def test_a_call_fits_the_caches_of_a_small_machine_and_is_some_work() -> None:
    for scenario in SETS["full"]:
        work = bound(Problem.of(scenario))
        assert work.bytes < 16 << 20, scenario.id
        assert 1e6 < work.operations < 1e9, scenario.id


def test_tensors_are_always_the_same_eight() -> None:
    for scenario in SETS["full"]:
        p = Problem.of(scenario)
        specs = OPERATOR.tensors(scenario)
        roles = [(s.name, s.role) for s in specs]
        assert roles[:4] == [("q", "input"), ("k", "input"), ("v", "input"), ("out", "output")]
        assert roles[4:] == [(n, "input") for n in ("q_len", "k_len", "block_table", "sink")]
        assert specs[0].shape == specs[3].shape == (p.batch, p.heads, p.seq_q, p.head_dim)
        assert specs[1].shape == specs[2].shape
        if not p.paged:
            assert specs[1].shape == (p.batch, p.kv_heads, p.seq_k, p.head_dim)
        assert {s.dtype for s in specs[:4]} == {"bfloat16" if p.dtype else "float32"}
        assert [s.dtype for s in specs[4:]] == ["int32", "int32", "int32", "float32"]
