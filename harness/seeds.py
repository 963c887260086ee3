"""Seeds of an evaluation's inputs: each scenario draws its own, so that no candidate can know any of them."""

import hashlib
import secrets


def new_seed() -> int:
    """64 fresh bits."""
    return secrets.randbits(64)


def derive(seed: int, *what: str | int) -> int:
    """The 64-bit seed of one draw, from a secret one and what it is for. It does not lead back."""
    text = "\0".join([f"{seed:016x}", *(str(part) for part in what)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def check_seed(scenario_seed: int, input_set: str) -> int:
    """What a scenario's inputs of that set are made from (`record.InputSetResult.seed`)."""
    return derive(scenario_seed, "check", input_set)


class ScenarioSeeds:
    """The secret seed of each scenario, drawn when it is first asked for and told in the record only.

    `earlier` counts the broken runs that this one goes on from: a scenario that one of them checked keeps its
    seed, and its timed inputs are drawn anew in every run.
    """

    def __init__(self) -> None:
        self.earlier = 0
        self._drawn: dict[str, int] = {}

    def of(self, scenario_id: str) -> int:
        """The seed of a scenario."""
        if scenario_id not in self._drawn:
            self._drawn[scenario_id] = new_seed()
        return self._drawn[scenario_id]

    def restore(self, scenario_id: str, seed: int) -> None:
        """Give a scenario the seed that a broken run drew for it."""
        self._drawn[scenario_id] = seed

    def told(self, scenario_id: str) -> str:
        """The seed as a record says it; empty where nothing was drawn."""
        return f"{self._drawn[scenario_id]:016x}" if scenario_id in self._drawn else ""

    def check(self, scenario_id: str, input_set: str) -> int:
        """For the inputs of a set."""
        return check_seed(self.of(scenario_id), input_set)

    def timed(self, scenario_id: str, purpose: str, *draw: int) -> int:
        """For timed calls: `purpose` keeps the candidate's from those of the baseline's twin."""
        return derive(self.of(scenario_id), purpose, self.earlier, *draw)
