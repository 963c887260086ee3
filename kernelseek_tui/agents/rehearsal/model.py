"""Is the model that an agent will talk to our own rehearsal server?

A session with a scripted model has to be marked as rehearsed on every screen and record, whichever client
speaks to it. Only a loopback address is ever asked.
"""

import http.client
from collections.abc import Mapping
from urllib.parse import urlsplit

SERVER = "kernelseek-rehearse"
_SECONDS = 2.0


def is_rehearsed(environment: Mapping[str, str]) -> bool:
    """Whether `ANTHROPIC_BASE_URL` is a rehearsal server, by the name it gives itself."""
    try:
        url = urlsplit(environment.get("ANTHROPIC_BASE_URL", ""))
        if url.scheme != "http" or url.hostname not in ("127.0.0.1", "localhost", "::1"):
            return False
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=_SECONDS)
        try:
            connection.request("GET", "/rehearse/faults")
            return (connection.getresponse().getheader("Server") or "").startswith(SERVER)
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError):
        return False
