import re

import pytest

from kernelseek_tui.decisions.doubts import DOUBT_HINTS, DOUBTED, EXCUSE_HINTS, EXCUSES, hinted
from kernelseek_tui.decisions.phrases import Family
from tests.kernelseek_tui.decisions.test_claims import alternatives

# One for each phrase of the tables at least.
EXCUSED = [
    "This is just a rounding error.",
    "These small differences are fine.",
    "The mismatch is expected with bf16 inputs.",
    "It is off by one ulp.",
    "0.99 is the genuine precision floor.",
    "They agree within bf16 noise.",
    "The test is probably flaky.",
    "That isn't a real bug.",
    "The failure is not related to our change.",
    "The tolerance is far too strict.",
    "The reference itself is wrong.",
    "I found a bug in the check.",
    "The stress case at that scale is simply broken.",
    "The right fix is to lower the stress scale.",
    "It only fails for extreme inputs.",
    "That comes from fp32 summation order.",
    "My kernel is actually more accurate.",
    "It differs only because the reference uses fp32.",
    "This is expected and entirely acceptable.",
    "The 0.77x there is measurement noise.",
    "这只是舍入误差。",
    "这个偏差是可以接受的。",
    "测试本身有问题。",
    "不是真正的问题，只是显示不同。",
    "这是偶发的失败。",
]
DOUBTS = [
    "The first run was a fluke.",
    "It is just a caching effect.",
    "That is too good to be true.",
    "It looks suspiciously fast.",
    "I could not reproduce that figure.",
    "It was never reproducible.",
    "Shape 0 went back to 0.156 (was 0.209).",
    "The loads were optimized away.",
    "这个结果好得可疑。",
    "没能再次复现。",
    "循环被编译器优化掉了。",
]


@pytest.mark.parametrize(
    ("text", "table"), [*((text, EXCUSES) for text in EXCUSED), *((text, DOUBTED) for text in DOUBTS)]
)
def test_the_tables_and_their_hints(text: str, table: re.Pattern[str]) -> None:
    assert table.search(text)
    assert hinted(text, EXCUSE_HINTS if table is EXCUSES else DOUBT_HINTS)


@pytest.mark.parametrize(
    ("table", "examples"), [(EXCUSES, EXCUSED), (DOUBTED, DOUBTS)], ids=["excuses", "doubts"]
)
def test_every_phrase_has_an_example(table: re.Pattern[str], examples: list[str]) -> None:
    for phrase in alternatives(Family("any", "limit", table)):
        assert any(re.search(phrase, text, re.IGNORECASE) for text in examples), phrase
