from dataclasses import asdict

import pytest

from harness.operator import Scenario
from kernels.attention.problem import BFLOAT16, Problem


def _small(name: str, problem: Problem) -> Scenario:
    return Scenario(name, "small", asdict(problem))


PLAIN = (
    _small("mha", Problem(2, 3, 3, 5, 37, 16, 0, 0, 0.25)),
    _small("mha-causal", Problem(1, 2, 2, 70, 70, 24, 1, 0, 0.2)),
    _small("gqa-prefill-chunk", Problem(1, 6, 2, 20, 83, 80, 1, 0, 80**-0.5)),
    _small("window-causal", Problem(1, 4, 2, 90, 90, 16, 1, 7, 0.25)),
    _small("window-straddles-tiles", Problem(1, 2, 1, 40, 140, 64, 1, 64, 0.125)),
    _small("window-alone", Problem(1, 2, 2, 9, 30, 8, 0, 4, 0.3)),
    _small("decode", Problem(3, 4, 1, 1, 130, 32, 1, 0, 0.18)),
    _small("first-rows-see-nothing", Problem(1, 2, 1, 40, 20, 16, 1, 0, 0.25)),
    _small("wide-heads", Problem(1, 2, 1, 4, 20, 272, 1, 0, 0.06)),
)

FEATURED = (
    _small("bf16", Problem(1, 2, 1, 20, 40, 32, 1, 0, 0.18, dtype=BFLOAT16)),
    _small("softcap", Problem(1, 2, 2, 12, 30, 24, 1, 0, 0.2, softcap=15)),
    _small("sink", Problem(2, 4, 2, 12, 30, 16, 1, 5, 0.25, sink=1)),
    _small("sink-rows-see-nothing", Problem(1, 2, 1, 20, 12, 16, 1, 0, 0.25, sink=1)),
    _small("ragged", Problem(4, 4, 2, 24, 24, 16, 1, 0, 0.25, ragged=1)),
    _small("ragged-cross", Problem(3, 2, 2, 9, 70, 16, 0, 0, 0.25, ragged=1)),
    _small("ragged-decode", Problem(5, 2, 1, 4, 90, 16, 1, 0, 0.25, ragged=1)),
    _small("left", Problem(4, 4, 2, 24, 30, 16, 1, 6, 0.25, ragged=1, left_pad=1)),
    _small("paged", Problem(2, 2, 2, 12, 44, 16, 1, 0, 0.25, page_size=8)),
    _small("page-larger-than-a-sequence", Problem(2, 2, 1, 6, 20, 16, 1, 0, 0.25, page_size=32)),
    _small("paged-ragged", Problem(3, 4, 1, 10, 50, 16, 1, 0, 0.25, page_size=16, ragged=1)),
    _small("paged-left", Problem(3, 2, 1, 10, 50, 16, 1, 0, 0.25, page_size=16, ragged=1, left_pad=1)),
    _small(
        "everything",
        Problem(3, 6, 2, 21, 41, 24, 1, 9, 0.2, page_size=8, ragged=1, softcap=8, sink=1, dtype=BFLOAT16),
    ),
)

SMALL = (*PLAIN, *FEATURED)


@pytest.fixture(params=SMALL, ids=lambda s: s.id)
def small(request: pytest.FixtureRequest) -> Scenario:
    """Small problems with every kind of edge."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(params=FEATURED, ids=lambda s: s.id)
def featured(request: pytest.FixtureRequest) -> Scenario:
    """Those of them that are not plain."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def smalls() -> tuple[Scenario, ...]:
    return SMALL
