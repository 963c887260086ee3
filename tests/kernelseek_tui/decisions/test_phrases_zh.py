import pytest

from kernelseek_tui.decisions.claims import claims_of

COMPLETIONS = [
    "所有任务都已完成。",
    "优化工作已经全部完成，最终加速 3.2 倍。",
    "目标已达成。",
    "完成。",
    "内核已经可以交付。",
    "已完成所有优化任务",
]
LIMITS = [
    "当前内核已经达到显存带宽的极限。",
    "没有进一步优化的空间了。",
    "收益递减，不值得继续。",
    "这里已经无法再优化。",
    "带宽已经打满，基本上到顶了。",
]
INNOCENT = [
    "如果达到硬件上限就停止。",
    "还没有达到硬件极限。",
    "接下来我会完成所有任务。",
    "已接近硬件上限。让我继续尝试新的分块。",
    "用户说“任务已经完成”。",
    "这个任务完成了吗？",
    "已经达到了共享内存的上限 48KB",
    "任务完成之后再测量。",
    "离硬件极限还差一倍。",
    "> 所有任务都已完成。",
    "```\n所有任务都已完成。\n```",
]


@pytest.mark.parametrize("text", COMPLETIONS)
def test_sees_a_completion(text: str) -> None:
    assert [claim.kind for claim in claims_of(text)] == ["completion"]


@pytest.mark.parametrize("text", LIMITS)
def test_sees_a_limit(text: str) -> None:
    assert [claim.kind for claim in claims_of(text)] == ["limit"]


@pytest.mark.parametrize("text", INNOCENT)
def test_leaves_innocent_text_alone(text: str) -> None:
    assert claims_of(text) == ()


@pytest.mark.parametrize(
    "text", ["已经" * 30_000 + "完成", "任务" * 30_000, "达到" * 20_000 + "极限", "“" * 30_000 + "完成"]
)
def test_hostile_text_ends(text: str) -> None:
    assert len(claims_of(text)) <= 2
