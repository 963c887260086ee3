import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.redaction import redact_secrets, secret_values, with_escaped

# Put together here, so that no scanner takes the test for a leak.
FAKE = "a1B2" * 12


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"key sk-ant-api03-{FAKE}!", "key [api-key]!"),
        (f"ghp_{FAKE[:36]}", "[github-token]"),
        (f"github_pat_{FAKE}", "[github-token]"),
        (f"hf_{FAKE[:34]}", "[hf-token]"),
        ("AKIA" + "A2B3" * 4, "[aws-id]"),
        (f"Authorization: Bearer {FAKE}", "Authorization: Bearer [bearer]"),
        (f"eyJ{FAKE}.eyJ{FAKE}.{FAKE}", "[jwt]"),
        (f"ANTHROPIC_API_KEY={FAKE} run", "ANTHROPIC_API_KEY=[assigned-secret] run"),
        (f'"password": "{FAKE}"', '"password": "[assigned-secret]"'),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----",
            "[private-key]",
        ),
    ],
)
def test_what_is_taken_out(text: str, clean: str) -> None:
    assert redact_secrets(text) == clean


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
    assert redact_secrets(text) == text


@given(st.text(max_size=80), st.sampled_from([f"sk-{FAKE}", f"TOKEN={FAKE}", f"password: {FAKE}"]))
def test_redacting_twice_changes_nothing(text: str, secret: str) -> None:
    once = redact_secrets(f"{text} {secret} {text}")
    assert FAKE not in once
    assert redact_secrets(once) == once


def test_secret_values() -> None:
    environment = {
        "A_KEY": "longest-value-1",
        "B_TOKEN": "short-v1",
        "C_SECRET": "tiny1",
        "SSH_AUTH_SOCK": "/tmp/agent.1234",
        "KEY_FILE": "/home/ann/key.pem",
        "D_PASSWORD": "wordsonly",
        "E_PASSWORD": "letters-only",
        "PATH": "/usr/bin:12345",
        "KEYBOARD": "us-international",
    }
    assert secret_values(environment) == ("longest-value-1", "letters-only", "short-v1")


def test_how_json_writes_a_secret_is_the_secret_too() -> None:
    assert with_escaped(['a"b', "plain", ""]) == {'a"b', 'a\\"b', "plain"}
