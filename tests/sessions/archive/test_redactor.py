import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions import events as ev
from sessions.archive.redactor import EMAIL, HOME, HOST, LOGIN, SECRET, USER, Redactor

# Put together here, so that no scanner takes the test for a leak.
FAKE = "a1B2" * 12


def redacted(*texts: str, redactor: Redactor | None = None) -> list[str]:
    redactor = redactor or Redactor()
    for text in texts:
        redactor.learn(text)
    return [redactor.text(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/ann/k.cu", "~/k.cu"),
        ("/Users/ann/k.cu", "~/k.cu"),
        ("PATH=/usr/bin:/home/ann/bin", "PATH=/usr/bin:~/bin"),
        ("nvcc -I/home/ann/include", "nvcc -I~/include"),
        ("file:///home/ann/x", "file://~/x"),
        (r"{\"a\": \"b\n/home/ann/x\nann.lee@corp.org\"}", r"{\"a\": \"b\n~/x\nperson1@example.invalid\"}"),
        ("請閱讀/Users/ann/x", "請閱讀~/x"),
        ("/data/home/ann/x", "/data/home/user1/x"),
        ("ls /root/.cache, /root", "ls ~root/.cache, ~root"),
        (r"C:\Users\Ann Lee\k.cu", r"~\k.cu"),
        (r"C:\\Users\\ann\\k.cu", r"~\\k.cu"),
        ("projects/-home-ann-kernel/0a.jsonl", "projects/-home-user1-kernel/0a.jsonl"),
        ("/home/ann/a /scratch/ann/b", "~/a /scratch/user1/b"),
        ("/home/ann /home/bob/x", "~ ~user2/x"),
        ("write to ann.lee@corp.co.uk now", "write to person1@example.invalid now"),
        ("ann@gpu-07:~/kernel$ ls", "user1@host1:~/kernel$ ls"),
        ("(base) [ann@gpu-07 kernel]$ ls\non gpu-07.hpc.org", "(base) [user1@host1 kernel]$ ls\non host1"),
        ("ssh ann@gpu-07 nvidia-smi", "ssh user1@host1 nvidia-smi"),
        ("Linux gpu-07 6.1.0-13 x86_64", "Linux host1 6.1.0-13 x86_64"),
        ("uid=1000(ann) gid=1000(ann)", "uid=1000(user1) gid=1000(user1)"),
        ("-rw-r--r-- 1 ann ann 10 k.cu", "-rw-r--r-- 1 user1 user1 10 k.cu"),
        ("https://ann:pass@git.corp.org/x", "https://[login]@git.corp.org/x"),
        ("?f=%2Fhome%2Fann%2Fk.cu&g=1", "?f=~%2Fk.cu&g=1"),
        ("%252Fhome%252Fann%252Fk /scratch/ann", "~%252Fk /scratch/user1"),
        ("?to=ann.lee%40corp.io&x", "?to=person1%40example.invalid&x"),
        (
            "mail%3Dann%2Bx%40corp.io ann+x@corp.io",
            "mail%3Dperson1%40example.invalid person2@example.invalid",
        ),
        ("/home/\x1b[31mann/k.cu", "~/k.cu"),
        (f"key sk-ant-api03-{FAKE}!", "key [api-key]!"),
    ],
)
def test_what_is_taken_out(text: str, clean: str) -> None:
    assert redacted(text) == [clean]


@pytest.mark.parametrize(
    "text",
    [
        "q@k.mT, attn@v.transpose(1, 2), x@w.grad",
        "@torch.no_grad()",
        r"{\"a\": \"x\n@triton.jit\ndef\"} -@triton.jit",
        "git@github.com:org/repo.git",
        "https://example.org/home/page and https://a.org/Users/list",
        "/tmp/build/home/demo/candidate.cpp",
        "/sys/root /rootfs ~/home",
        "/home/$USER/x /home/<you>/x",
        "max(a, b) over start, set demo",
        "getty@tty1.service",
        "Linux kernel 6 is out",
        "someone@example.com",
        "2.00x over start at 92% of the roofline",
    ],
)
def test_what_stays(text: str) -> None:
    redactor = Redactor()
    assert redacted(text, redactor=redactor) == [text]
    assert not +redactor.found


def test_a_name_known_late_is_found_early() -> None:
    early, late = redacted("see /scratch/ann/k.cu on gpu-07", "ann@gpu-07:~/k$ ls")
    assert early == "see /scratch/user1/k.cu on host1"
    assert late == "user1@host1:~/k$ ls"


def test_common_account_names_are_no_words_to_look_for() -> None:
    assert redacted("/home/ubuntu/x", "/opt/ubuntu/y") == ["~/x", "/opt/ubuntu/y"]


def test_this_machine_is_known() -> None:
    redactor = Redactor(["drawn-by-lot-7"], home="/opt/people/ann", user="ann", host="gpu-07")
    texts = ["/opt/people/ann/k.cu", "/opt/people/annex", "on gpu-07: drawn-by-lot-7", "/scratch/ann/"]
    assert redacted(*texts, redactor=redactor) == [
        "~/k.cu",
        "/opt/people/annex",
        "on host1: [secret]",
        "/scratch/user1/",
    ]
    assert redactor.found == {HOME: 1, HOST: 1, SECRET: 1, USER: 1}


def test_the_report_counts_by_kind_and_shows_nothing() -> None:
    redactor = Redactor()
    redacted(
        f"/home/ann/x ann.lee@corp.org https://u:{FAKE}@h.org/ sk-{FAKE}",
        "/home/ann/y",
        redactor=redactor,
    )
    assert redactor.found == {HOME: 2, EMAIL: 1, LOGIN: 1, "api-key": 1}
    assert FAKE not in str(redactor.found)


def test_events_are_redacted_in_all_their_texts() -> None:
    event = ev.ToolCall(
        id="e1",
        call="c",
        tool="Bash",
        input={"command": "cat /home/ann/k.cu", "more": [{"/home/ann/x": f"sk-{FAKE}"}]},
        source=ev.Source(file="/home/ann/run.jsonl", line=3),
    )
    redactor = Redactor()
    redactor.learn_event(event)
    assert not +redactor.found
    clean = redactor.event(event)
    assert clean.input == {"command": "cat ~/k.cu", "more": [{"~/x": "[api-key]"}]}
    assert clean.source == ev.Source(file="~/run.jsonl", line=3)
    assert (clean.id, clean.kind) == ("e1", "tool_call")


_PARTS = st.sampled_from(
    [
        "/home/ann/x",
        "/home/bob",
        "ann@gpu-07:~$ ls",
        "a.b@corp.org",
        "/root",
        " ",
        "/",
        ":",
        "@",
        "\n",
        "x",
        "ü",
    ]
)


@given(st.lists(_PARTS, max_size=8).map(" ".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    (once,) = redacted(text)
    assert redacted(once) == [once]


@given(st.text(max_size=200))
def test_any_text_can_be_redacted(text: str) -> None:
    redacted(text)
