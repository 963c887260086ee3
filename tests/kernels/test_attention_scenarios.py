import math

from kernels.attention.bound import bound
from kernels.attention.operator import OPERATOR
from kernels.attention.scenarios import DEMO, PARAMS_STRUCT, SETS, SMOKE, Problem


def test_sets_are_of_the_promised_size_and_unique() -> None:
    assert set(SETS) == {"demo", "smoke"}
    assert len(DEMO) == 4
    assert len(SMOKE) == 12
    for scenarios in SETS.values():
        assert len({s.id for s in scenarios}) == len(scenarios)
        assert len({tuple(sorted(s.params.items())) for s in scenarios}) == len(scenarios)


def test_one_id_means_one_problem_across_sets() -> None:
    known = {}
    for scenarios in SETS.values():
        for scenario in scenarios:
            assert known.setdefault(scenario.id, scenario) == scenario


def test_ids_begin_with_the_family_and_say_the_shape() -> None:
    for scenario in SMOKE:
        p = Problem.of(scenario)
        words = scenario.id.split("-")
        assert words[0] == scenario.family
        assert {f"d{p.head_dim}", f"q{p.seq_q}", f"k{p.seq_k}"} < set(words)
        assert ("causal" in words) == bool(p.causal)
        assert (f"w{p.window}" in words) == bool(p.window)
        assert ("gqa" in words) == (p.heads != p.kv_heads)


def test_smoke_spans_what_the_operator_is_called_with() -> None:
    problems = [Problem.of(s) for s in SMOKE]
    assert {s.family for s in SMOKE} == {"mha", "gqa", "window", "decode"}
    assert {s.family for s in DEMO} == {"mha", "gqa", "window"}
    assert {p.head_dim for p in problems} >= {64, 80, 96, 128}
    assert {p.causal for p in problems} == {0, 1}
    assert any(p.heads > p.kv_heads > 1 for p in problems)
    assert any(p.seq_q < p.seq_k and p.causal for p in problems)
    assert any(p.batch > 1 for p in problems)


def test_every_problem_is_valid_and_fits_the_struct() -> None:
    for scenario in SMOKE:
        p = Problem.of(scenario)
        assert set(scenario.params) == {field.name for field in PARAMS_STRUCT}
        assert p.heads % p.kv_heads == 0
        assert p.seq_q <= p.seq_k
        assert p.window < p.seq_k
        assert p.seq_k > 16
        assert math.isclose(p.scale, p.head_dim**-0.5)


def test_a_call_fits_the_caches_of_a_small_machine_and_is_some_work() -> None:
    for scenario in SMOKE:
        work = bound(Problem.of(scenario))
        assert work.bytes < 16 << 20, scenario.id
        assert 1e6 < work.operations < 1e9, scenario.id


def test_tensors_follow_the_abi_order() -> None:
    for scenario in SMOKE:
        specs = OPERATOR.tensors(scenario)
        assert [(s.name, s.role) for s in specs] == [
            ("q", "input"),
            ("k", "input"),
            ("v", "input"),
            ("out", "output"),
        ]
        assert specs[0].shape == specs[3].shape
        assert specs[1].shape == specs[2].shape
