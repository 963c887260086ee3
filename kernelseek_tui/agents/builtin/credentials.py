"""What the built-in agent proves itself to the API with. Never a value: only whether there is one.

Run as a program it asks the SDK, which also knows profiles on the disk: exit code 0 where it finds
credentials, `NONE` where it finds none. The driver runs it in another process, since loading the SDK is the
client's affair.
"""

import subprocess
import sys
from collections.abc import Mapping

KEY_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
NO_KEY = f"There is no API key; set {KEY_VARIABLES[0]} and start again."
NONE = 3
SECONDS = 30.0


def has_credentials(environment: Mapping[str, str]) -> bool:
    """Whether the SDK would find any. An SDK that does not answer is given the benefit of the doubt."""
    if any(environment.get(name) for name in KEY_VARIABLES):
        return True
    command = (sys.executable, "-P", "-m", __name__)
    try:
        done = subprocess.run(
            command, env=dict(environment), capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    return done.returncode != NONE


def main() -> int:
    """Ask the SDK."""
    import anthropic

    client = anthropic.Anthropic()
    return 0 if client.api_key or client.auth_token or client.credentials else NONE


if __name__ == "__main__":
    sys.exit(main())
