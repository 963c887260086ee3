import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.clean import Cleaner
from sessions.redaction import redact_secrets, secret_values, uncoloured, with_escaped

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
        (f"glpat-{FAKE[:20]}", "[gitlab-token]"),
        (f"sk_live_{FAKE[:24]} sk_test_{FAKE[:24]}", "[stripe-key] [stripe-key]"),
        (f"rk_live_{FAKE[:24]}", "[stripe-key]"),
        (f"npm_{FAKE[:36]}", "[npm-token]"),
        (f"pypi-AgEIcHlwaS5vcmc{FAKE}", "[pypi-token]"),
        (f"gsk_{FAKE} xai-{FAKE} nvapi-{FAKE}", "[api-key] [api-key] [api-key]"),
        (f"https://api.example/bot123456789:AA{FAKE[:33]}/x", "https://api.example/bot[telegram-token]/x"),
        ("Authorization: Basic YW5uOnB3", "Authorization: Basic [authorization]"),
        ("Cookie: theme=dark; session=abc123\nHost: x", "Cookie: [cookie]\nHost: x"),
        ("curl -b 'session=abc123' -s", "curl -b [cookie] -s"),
        ("curl -s -u ann:pw1 https://x", "curl -s -u [login] https://x"),
        ("curl --user 'ann:pw 1' x", "curl --user '[login] 1' x"),
        ("mysql -u root -phunter2 db", "mysql -u root -p[login] db"),
        ("machine x.org login ann password hunter2", "machine x.org login ann password [login]"),
        (
            "machine x.org\n  login ann\n  password hunter2\n",
            "machine x.org\n  login ann\n  password [login]\n",
        ),
        (f"AccountName=a;AccountKey={FAKE}==;X=y", "AccountName=a;AccountKey=[assigned-secret];X=y"),
        ("-H 'x-api-key: abc123'", "-H 'x-api-key: [assigned-secret]'"),
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
        "docker run -u 1000:1000 img; curl x",
        "curl -u $LOGIN https://x",
        "mkdir -p build && mysql --version; cc -pthread x.c",
        "the password prompt; login shell and password file",
        "npm_config_registry=x pypi-mirror-configuration-example",
        "cookie = jar.load(path)",
        "for (auto cookie : cookies) x=1;",
        "12:34:56 12345678:Abc",
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


@pytest.mark.parametrize("code", ["\x1b[31m", "\x1b[0;1m", r"\u001b[0m", r"\x1b[7m", r"\033[m"])
def test_a_key_that_a_colour_breaks_up_is_one(code: str) -> None:
    text = f"sk-ant-{code}api03-{FAKE[:8]}{code}{FAKE}"
    assert uncoloured(text) == f"sk-ant-api03-{FAKE[:8]}{FAKE}"
    assert Cleaner().text(f"key {text} ok") == "key [api-key] ok"
    assert Cleaner(("drawn-by-lot-7",)).text(f"x drawn-{code}by-lot-7") == "x [secret]"
    assert Cleaner().text(f"{code}green") == f"{code}green"
