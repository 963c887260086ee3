"""The rehearsal server: binds the loopback address, answers in threads, counts requests, strikes with faults.

with RehearsalServer(load_script(DEFAULT), seed=0, faults=[parse_fault("529@2")]) as server:
    …  ANTHROPIC_BASE_URL=server.url
"""

import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from kernelseek_tui.agents.rehearsal.script import Script
from kernelseek_tui.exit_codes import ExitCode
from kernelseek_tui.rehearse.exchange import Exchange
from kernelseek_tui.rehearse.faults import Fault
from kernelseek_tui.rehearse.handler import Handler
from kernelseek_tui.rehearse.wire import Http

HOST = "127.0.0.1"
KEPT_EXCHANGES = 10_000
POLL_SECONDS = 0.05


class ServeError(Exception):
    """The server cannot be started; one sentence."""

    exit_code = ExitCode.INFRASTRUCTURE


class RehearsalServer:
    """Plays `script` as a model on 127.0.0.1. `port` 0 takes a free one. `pace` is the seconds between the
    events of a streamed reply. `log` gets one JSON line for each exchange.

    Safe to use from several threads. Raises `ServeError` from `start`.
    """

    def __init__(
        self,
        script: Script,
        seed: int = 0,
        port: int = 0,
        faults: Iterable[Fault] = (),
        pace: float = 0.0,
        log: Path | None = None,
    ) -> None:
        self.script = script
        self.seed = seed
        self.port = port
        self.pace = pace
        self.exchanges: deque[Exchange] = deque(maxlen=KEPT_EXCHANGES)
        self._faults: list[Fault] = []
        self._requests = 0
        self._log_path = log
        self._log: Any = None
        self._lock = threading.Condition()
        self._stop = threading.Event()
        self._refusing_until = 0.0
        self._http: Http | None = None
        self._thread: threading.Thread | None = None
        self.add_faults(faults)

    @property
    def url(self) -> str:
        """What `ANTHROPIC_BASE_URL` has to be."""
        return f"http://{HOST}:{self.port}"

    @property
    def requests(self) -> int:
        """How many requests that offer tools have come."""
        return self._requests

    @property
    def refusing(self) -> bool:
        """A `refuse` fault holds."""
        return time.monotonic() < self._refusing_until

    @property
    def stopping(self) -> threading.Event:
        """Set when the server closes; what waits in an answer waits on this."""
        return self._stop

    def start(self) -> "RehearsalServer":
        """Bind and answer. Raises `ServeError`."""
        try:
            if self._log_path is not None:
                self._log = self._log_path.open("a", encoding="utf-8")
            self._http = self._bind()
        except (OSError, OverflowError) as error:
            name = getattr(error, "filename", None)
            what = f"write the log {name}" if name else f"bind {HOST}:{self.port}"
            reason = getattr(error, "strerror", None) or error
            raise ServeError(f"The rehearsal server cannot {what}: {reason}.") from error
        self.port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._serve, name="rehearsal-server", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop answering. May be called again."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with self._lock:
            if self._log is not None:
                self._log.close()
                self._log = None

    def __enter__(self) -> "RehearsalServer":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add_faults(self, faults: Iterable[Fault]) -> None:
        """Strike with these as well; those without a place strike the next requests, one after the other."""
        with self._lock:
            following = self._requests + 1
            for fault in faults:
                self._faults.append(fault.placed(following))
                following += not fault.first

    def clear_faults(self) -> None:
        """Strike no more."""
        with self._lock:
            self._faults.clear()

    def faults_told(self) -> list[str]:
        """Every fault that is set, as it is written."""
        with self._lock:
            return [str(fault) for fault in self._faults]

    def count_request(self) -> tuple[int, list[Fault]]:
        """The number of a request that offers tools, and the faults that strike it."""
        with self._lock:
            self._requests += 1
            number = self._requests
            return number, [fault for fault in self._faults if fault.at(number)]

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange, and log it."""
        with self._lock:
            self.exchanges.append(exchange)
            if self._log is not None:
                # Told, not raised: a full disk must not break the session that is being rehearsed.
                with contextlib.suppress(OSError):
                    self._log.write(json.dumps(asdict(exchange)) + "\n")
                    self._log.flush()
            self._lock.notify_all()

    def wait_for(self, wanted: Callable[[Exchange], bool], timeout: float) -> Exchange | None:
        """The first exchange that is `wanted`, waiting up to `timeout` seconds for it."""

        def found() -> Exchange | None:
            return next((exchange for exchange in self.exchanges if wanted(exchange)), None)

        with self._lock:
            self._lock.wait_for(lambda: found() is not None, timeout)
            return found()

    def refuse(self, seconds: float) -> None:
        """Close the listening socket for so long."""
        self._refusing_until = time.monotonic() + seconds

    def _bind(self) -> Http:
        http = Http((HOST, self.port), Handler)
        http.owner = self
        http.timeout = POLL_SECONDS
        return http

    def _serve(self) -> None:
        """Take connections until the server closes; `serve_forever` cannot be ended before it has begun."""
        http = self._http
        while http is not None:
            while not (self._stop.is_set() or self.refusing):
                http.handle_request()
            http.server_close()
            http = None
            while self.refusing and not self._stop.is_set():
                self._stop.wait(max(0.0, self._refusing_until - time.monotonic()))
            while http is None and not self._stop.is_set():
                try:
                    http = self._bind()
                except OSError:  # a connection that is just ending still holds the port
                    self._stop.wait(POLL_SECONDS)
