import pytest

from kernels.attention import lengths
from kernels.attention.bound import bound
from kernels.attention.off_list import vary
from kernels.attention.problem import Problem
from kernels.attention.scenarios import SETS

FULL = SETS["full"]
SEEDS = range(12)
LISTED = {Problem.of(s) for s in FULL}
STAY = (
    "head_dim",
    "causal",
    "window",
    "scale",
    "ragged",
    "left_pad",
    "softcap",
    "sink",
    "dtype",
    "paged",
    "group",
)


@pytest.mark.parametrize("scenario", FULL, ids=lambda s: s.id)
def test_it_is_of_the_same_kind_new_and_no_dearer(scenario) -> None:
    p, work = Problem.of(scenario), bound(Problem.of(scenario))
    for seed in SEEDS:
        varied = vary(scenario, seed)
        v = Problem.of(varied)
        assert varied.family == scenario.family
        assert v not in LISTED
        assert {name: getattr(v, name) for name in STAY} == {name: getattr(p, name) for name in STAY}
        assert (v.seq_q == v.seq_k) == (p.seq_q == p.seq_k)
        assert (v.seq_q == 1) == (p.seq_q == 1)
        assert v.seq_q <= v.seq_k
        assert (v.batch > 1) == (p.batch > 1)
        assert (v.kv_heads > 1) == (p.kv_heads > 1)
        assert bound(v).operations <= work.operations
        assert bound(v).bytes <= work.bytes + 4 * p.batch  # a window may begin within a page
        if p.paged:
            assert v.page_size == p.page_size
            assert v.pages < p.pages
        if p.ragged:
            assert lengths.nominal(v)[1].tolist() != lengths.nominal(p)[1].tolist()


def test_the_id_says_what_was_changed_and_the_seed_decides() -> None:
    for scenario in FULL:
        varied = [vary(scenario, seed) for seed in SEEDS]
        assert varied == [vary(scenario, seed) for seed in SEEDS]
        assert len({s.id for s in varied}) == len({Problem.of(s) for s in varied}) > 1
        assert all(s.id.startswith(f"{scenario.id}~") for s in varied)


def test_batch_and_heads_change_too() -> None:
    pairs = [(Problem.of(s), Problem.of(vary(s, seed))) for s in FULL for seed in SEEDS]
    assert any(v.batch < p.batch for p, v in pairs)
    assert any(v.heads < p.heads for p, v in pairs)
    assert any(v.seq_q < p.seq_q < p.seq_k for p, v in pairs)
