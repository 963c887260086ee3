"""The words and figures that evaluators print: units, roles of a time, marks of right and wrong."""

import math
import re
from functools import lru_cache

NS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "usec": 1e3, "ms": 1e6, "msec": 1e6, "s": 1e9, "sec": 1e9}
NUMBER = r"\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


BASELINE = _set(
    "baseline base reference ref torch pytorch eager naive cublas cublaslt cudnn original orig before sota"
    " compiled compile inductor cutlass flashinfer numpy jax vendor"
)
CANDIDATE = _set(
    "solution candidate ours our mine triton custom kernel new after optimized optimised fused cuda sol tuned"
    " improved"
)
BOUND = frozenset(("bound", "roofline"))
# Of several baselines in a row the ratio is over the first of these that is there.
PREFERRED = ("baseline", "reference", "ref", "eager", "torch", "pytorch", "naive", "original", "base")

# Numbers that nobody measured, or that do not measure the candidate.
WISH = re.compile(
    r"\b(?:targets?|goals?|needs?|needed|required?|expect(?:ed)?|thresholds?|theor\w*|ideal|estimat\w*|predict\w*"
    r"|would|should|must|limit|previous(?:ly)?|prev|earlier|so far|budget|possible|projected|if we|todo|"
    r"min_speedup|atol|rtol|tol(?:erance)?|usage|options?)\b",
    re.IGNORECASE,
)
NOT_A_RUN = re.compile(
    r"install|compil(?:ing|ation|e time)|build|built|load|import|warm|timeout|timed out|elapsed|took|download"
    r"|sleep|setup|init|wall|overhead|resolved|prepared|audited|autotun|\bstd(?:ev)?\b|±\s*$|stddev|variance|\bp\d\d\b",
    re.IGNORECASE,
)
LOG_LINE = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\bts=|^[WIEF]\d{4} \d\d:\d\d|^\s*File \"|^\s*at |^\s*[#$>]"
)
SUMMARY = re.compile(
    r"\b(?:average|avg|mean|median|max(?:imum)?|min(?:imum)?|best|worst|total|overall|sum)\b", re.IGNORECASE
)
RIGHT = re.compile(r"(?:\b(?:OK|PASS|PASSED|CORRECT|passed|correct)|[✓✔✅])\W*\Z")
WRONG = re.compile(r"(?:\b(?:FAIL|FAILED|WRONG|INCORRECT|MISMATCH|failed|incorrect|mismatch)|[✗✘❌])\W*\Z")


# A speed-up that was printed and is no ratio; a row with one was run, so the rows without it are not all.
NO_RATIO = re.compile(
    r"[-−](?:\d{1,15}(?:\.\d{1,15})?)\s?[x×]?|[-+]?(?:nan|inf(?:inity)?)\s?[x×]?", re.IGNORECASE
)


_ZEROS = str.maketrans("123456789", "000000000")


def shape_of(line: str) -> str:
    """A line with its digits made alike: what is said of its words need be found out only once."""
    return line.translate(_ZEROS)


@lru_cache(maxsize=4096)
def is_noise(shape: str) -> bool:
    """Whether a line of this shape is a log line, or speaks of a number that nobody measured."""
    return LOG_LINE.search(shape) is not None or WISH.search(shape) is not None


def finite(text: str) -> float | None:
    """The number of a text made of digits."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def half_step(text: str) -> float:
    """Half of the last printed digit, as a share of the number: what rounding in print may have cost."""
    value = finite(text)
    mantissa, _, exponent = text.lower().partition("e")
    if not value:
        return 0.0
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return 0.5 * 10.0**-decimals / abs(value) if abs(decimals) < 100 else 0.0


def geometric_mean(values: list[float]) -> float | None:
    """The geometric mean of positive numbers; None where there is none or one is not positive."""
    if not values or any(value <= 0 or not math.isfinite(value) for value in values):
        return None
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def close(one: float, other: float, share: float = 0.02) -> bool:
    """Equal but for rounding in print."""
    return abs(one - other) <= max(share * max(abs(one), abs(other)), 6e-5)
