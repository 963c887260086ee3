from dataclasses import asdict

import pytest

from harness.operator import Scenario
from kernels.attention.scenarios import Problem


def _small(name: str, problem: Problem) -> Scenario:
    return Scenario(name, "small", asdict(problem))


SMALL = (
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


@pytest.fixture(params=SMALL, ids=lambda s: s.id)
def small(request: pytest.FixtureRequest) -> Scenario:
    """Small problems with every kind of edge."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def smalls() -> tuple[Scenario, ...]:
    return SMALL
