import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.redaction import redact, redact_secrets, scrub_environment, secret_values

# Put together here, so that no scanner takes the test for a leak.
FAKE = "a1B2" * 12


@pytest.mark.parametrize(
    ("text", "clean", "name"),
    [
        (f"key sk-ant-api03-{FAKE}!", "key [api-key]!", "api-key"),
        (f"ghp_{FAKE[:36]}", "[github-token]", "github-token"),
        (f"github_pat_{FAKE}", "[github-token]", "github-token"),
        (f"hf_{FAKE[:34]}", "[hf-token]", "hf-token"),
        ("AKIA" + "A2B3" * 4, "[aws-id]", "aws-id"),
        (f"Authorization: Bearer {FAKE}", "Authorization: Bearer [bearer]", "bearer"),
        (f"eyJ{FAKE}.eyJ{FAKE}.{FAKE}", "[jwt]", "jwt"),
        (f"ANTHROPIC_API_KEY={FAKE} run", "ANTHROPIC_API_KEY=[assigned-secret] run", "assigned-secret"),
        (f'"password": "{FAKE}"', '"password": "[assigned-secret]"', "assigned-secret"),
        ("mail ann.b@example.co.uk now", "mail [email] now", "email"),
        ("/home/ann/kernels/k.cu", "~/kernels/k.cu", "home"),
        ("/Users/ann/k.cu", "~/k.cu", "home"),
        (r"C:\Users\ann\k.cu", r"~\k.cu", "home"),
        ("cd /root/x", "cd ~/x", "home"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----",
            "[private-key]",
            "private-key",
        ),
    ],
)
def test_what_is_taken_out(text: str, clean: str, name: str) -> None:
    assert redact(text) == (clean, {name: 1})


@pytest.mark.parametrize(
    "text",
    [
        "the kernel is at 92% of the roofline",
        "input_tokens: 123456789",
        "task-1 sk-learn risk-free",
        "user@host without a domain end",
        "decorated @torch.no_grad()",
        "/homework/ann and /usr/share",
        "e2m1 key idea: tokens per second = 12345678",
    ],
)
def test_what_stays(text: str) -> None:
    assert redact(text) == (text, {})


def test_secrets_alone() -> None:
    assert redact_secrets(f"/home/ann a@b.de hf_{FAKE}") == ("/home/ann a@b.de [hf-token]", {"hf-token": 1})


@given(st.text(max_size=80), st.sampled_from([f"sk-{FAKE}", "a@b.de", "/home/ann/x", f"TOKEN={FAKE}"]))
def test_redacting_twice_changes_nothing(text: str, secret: str) -> None:
    once, _ = redact(f"{text} {secret} {text}")
    assert FAKE not in once
    assert redact(once)[0] == once


def test_an_environment_fit_for_a_record() -> None:
    environment = {
        "ANTHROPIC_API_KEY": FAKE,
        "MY_TOKEN": FAKE,
        "EMPTY_TOKEN": "",
        "PATH": "/usr/bin",
        "NOTE": f"hf_{FAKE}",
        "KEYBOARD": "us",
    }
    assert scrub_environment(environment) == {
        "ANTHROPIC_API_KEY": "[secret]",
        "MY_TOKEN": "[secret]",
        "EMPTY_TOKEN": "",
        "PATH": "/usr/bin",
        "NOTE": "[hf-token]",
        "KEYBOARD": "us",
    }


def test_secret_values() -> None:
    environment = {
        "A_KEY": "longest-value-1",
        "B_TOKEN": "short-v1",
        "C_SECRET": "tiny1",
        "SSH_AUTH_SOCK": "/tmp/agent.1234",
        "D_PASSWORD": "wordsonly",
        "PATH": "/usr/bin:12345",
    }
    assert secret_values(environment) == ("longest-value-1", "short-v1")
