"""Runs one Python baseline or candidate. Run by path, under any Python that has torch.

usage: python -I -P worker.py SOCKET_FD ARENA_FD

Imports none of our packages. It speaks the protocol of `native/runner.cpp` (messages: `harness/protocol.py`)
and three more words: HELLO loads torch and says its version, AUDIT is a call in which the operators that
torch runs are listed, DIGEST sums up the Python around the candidate. The judge's half is `runner.py`
beside this file. A candidate shares this process: all that counts is read or measured from outside.
"""

import ctypes
import gc
import hashlib
import importlib.machinery
import importlib.util
import json
import mmap
import os
import re
import resource
import signal
import struct
import sys
import time
import traceback
import types
from errno import EINTR
from typing import Any

LOAD, MAP, RUN, RUN_MANY, HOLD, HELLO, AUDIT, DIGEST = 1, 2, 3, 4, 5, 16, 17, 18
CANNOT_LOAD, NO_SYMBOL, CANNOT_MAP, RAISED = -1, -2, -4, -16
LOST_CHANNEL = 71
MAX_TEXT = 4000

REQUEST = struct.Struct("@II")
TOKEN = struct.Struct("@Q")
REPLY = struct.Struct("@IiQQQII")
MAP_HEADER = struct.Struct("@QQQQ")
TENSOR = struct.Struct("@Qiiii8q8q")
DTYPES = ("float32", "float64", "int32", "bfloat16", "float16")
CODES = {"int32_t": "i", "int64_t": "q", "float": "f", "double": "d"}
FIELD = re.compile(r"^  (int32_t|int64_t|float|double) (\w+);", re.MULTILINE)

WATCHED = {
    "time": ("monotonic_ns", "perf_counter_ns", "perf_counter", "monotonic", "time", "time_ns"),
    "os": ("read", "write", "_exit"),
    "torch": ("empty", "zeros", "frombuffer", "Tensor", "equal", "allclose", "matmul", "set_num_threads"),
    "torch.Tensor": ("copy_", "to", "float", "view", "clone", "numpy", "data_ptr", "__getattribute__"),
    "torch.autograd.profiler": ("profile", "record_function", "_enable_profiler", "_disable_profiler"),
    "builtins": ("__import__", "open", "len", "type", "isinstance", "getattr", "print"),
}
"""Names whose objects, and whose code, a candidate has no business to change."""

read, write, leave = os.read, os.write, os._exit
clock, usage = time.monotonic_ns, resource.getrusage
THREAD = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)

Answer = tuple[int, int, int, str]
"""Status, nanoseconds, value, text."""


class Worker:
    """The state between messages."""

    def __init__(self, channel: int, arena_fd: int) -> None:
        self.channel, self.arena_fd = channel, arena_fd
        self.speak: Any = None
        self.torch: Any = None
        self.settings: dict[str, Any] = {}
        self.run: Any = None
        self.prepare: Any = None
        self.params: dict[str, Any] = {}
        self.views: dict[str, Any] = {}
        self.profile: Any = None

    def serve(self) -> None:
        """Answer until the judge is gone."""
        answers = {HELLO: self.hello, HOLD: self.hold, LOAD: self.load, MAP: self.map, DIGEST: self.digest}
        while True:
            op, length = REQUEST.unpack(self.receive(REQUEST.size))
            payload = self.receive(length)
            if op in (RUN, RUN_MANY, AUDIT):
                self.answer(op, *self.call(op, payload))
            elif op in answers:
                self.answer(op, *answers[op](payload))
            else:
                leave(LOST_CHANNEL)

    def receive(self, size: int) -> bytes:
        """So many bytes from the judge."""
        data = b""
        while len(data) < size:
            part = self.read(size - len(data))
            if not part:
                leave(LOST_CHANNEL)
            data += part
        return data

    def answer(self, op: int, status: int, ns: int, value: int, text: str) -> None:
        """One reply. The token ends a request; until now it was nowhere in this process."""
        (token,) = TOKEN.unpack(self.receive(TOKEN.size))
        raw = text.encode(errors="replace")[:MAX_TEXT]
        data = REPLY.pack(op, status, token, ns, value, len(raw), 0) + raw
        while data:
            data = data[self.write(data) :]

    def read(self, size: int) -> bytes:
        """Up to so many bytes of the channel, by the one instruction that may (`native/gate.h`), once it is
        there."""
        if self.speak is None:
            return read(self.channel, size)
        buffer = ctypes.create_string_buffer(size)
        done = self.spoken(0, buffer, size)
        return buffer.raw[:done]

    def write(self, data: bytes) -> int:
        """How much of it was written to the channel."""
        return write(self.channel, data) if self.speak is None else self.spoken(1, data, len(data))

    def spoken(self, writes: int, data: Any, size: int) -> int:
        """Bytes read or written."""
        done = -EINTR
        while done == -EINTR:
            done = int(self.speak(writes, self.channel, data, size))
        if done < 0:
            leave(LOST_CHANNEL)
        return done

    def hello(self, payload: bytes) -> Answer:
        """Import what is trusted, before anything else is here and before the process is held."""
        self.settings = settings = json.loads(payload)
        absent: Any = None
        try:
            if not settings["numpy"]:
                sys.modules["numpy"] = absent  # its matrix product is a library's, and nothing would list it
            import torch
            import torch.nn.functional
            import torch.utils.cpp_extension as extensions
            from torch.autograd.profiler import profile

            torch.set_num_threads(1)
            torch.set_num_interop_threads(1)
            torch.set_grad_enabled(False)
            versions: dict[str, Any] = {"python": ".".join(map(str, sys.version_info[:3]))}
            versions["torch"] = str(torch.__version__)
            for name in settings["requires"]:
                module = importlib.import_module(name)
                versions[name] = str(getattr(module, "__version__", ""))
            if settings["contain"]:
                library = ctypes.CDLL(settings["contain"])
                self.contain = library.ks_contain
                self.contain.restype = ctypes.c_uint64
                speak = library.ks_channel
                speak.restype = ctypes.c_long
                speak.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
                self.speak = speak
        except Exception as error:  # whatever is wrong with this Python is the answer
            traceback.print_exc()
            return CANNOT_LOAD, 0, 0, words(error)
        versions["homes"] = homes = [os.path.dirname(torch.__file__)]  # noqa: PTH120 - as few imports as can be
        homes += [path for path in sys.path if path.endswith("lib-dynload")]
        homes += [os.path.dirname(sys.modules[name].__file__ or "") for name in settings["requires"]]  # noqa: PTH120
        self.torch, self.profile = torch, profile
        self.operators(lambda: torch.softmax(torch.ones(4, 4), -1).sum().double())  # what is set up once
        extensions.load_inline = extensions.load = found(settings["extensions"])
        return 0, 0, 0, json.dumps(versions)

    def hold(self, payload: bytes) -> Answer:
        """Give up what a candidate may not do (`native/contain.h`); files that Python reads stay readable."""
        if not payload or not self.settings["contain"]:
            return 0, 0, 0, ""
        folders = {payload.decode(), *sys.path, sys.prefix + "/lib", sys.base_prefix + "/lib"}
        packed = b"".join(os.fsencode(folder) + b"\0" for folder in sorted(folders) if folder) + b"\0"
        return 0, 0, self.contain(packed, self.channel), ""

    def load(self, payload: bytes) -> Answer:
        """Run the file, with the parameters its calls will get."""
        (length,) = struct.unpack_from("@I", payload)
        path, packed = payload[4 : 4 + length].decode(), payload[4 + length :]
        fields = FIELD.findall(self.settings["header"])
        values = struct.unpack_from("@" + "".join(CODES[kind] for kind, _ in fields), packed)
        self.params = {name: value for (_, name), value in zip(fields, values, strict=True)}
        try:
            module = import_file(path)
        except BaseException as error:  # SystemExit too: the judge hears of it
            traceback.print_exc()
            return CANNOT_LOAD, 0, 0, words(error)
        self.run = getattr(module, "ks_run", None)
        self.prepare = getattr(module, "ks_prepare", None)
        if not callable(self.run):
            return CANNOT_LOAD, 0, 0, "it does not define ks_run(tensors, params)"
        gc.collect()
        gc.freeze()
        gc.disable()  # a collection in a timed call would measure the loader's garbage
        return 0, 0, 0, ""

    def map(self, payload: bytes) -> Answer:
        """Map the judge's memory and let the candidate prepare, once, outside of any call."""
        size, _, _, count = MAP_HEADER.unpack_from(payload)
        try:
            buffer = map_shared(self.arena_fd, size)
            os.close(self.arena_fd)
        except OSError as error:
            return CANNOT_MAP, 0, 0, os.strerror(error.errno or 0)
        for number in range(count):
            at = MAP_HEADER.size + number * TENSOR.size
            offset, dtype, _, rank, _, *rest = TENSOR.unpack_from(payload, at)
            shape = tuple(rest[:rank])
            element = getattr(self.torch, DTYPES[dtype])
            items = 1
            for extent in shape:
                items *= extent
            flat = self.torch.frombuffer(buffer, dtype=element, count=items, offset=offset)
            self.views[self.settings["tensors"][number]] = flat.view(shape)
        if self.prepare is not None:
            try:
                self.prepare(dict(self.params))
            except BaseException as error:  # as in `load`
                traceback.print_exc()
                return CANNOT_MAP, 0, 0, f"ks_prepare raised {words(error)}"
        return 0, 0, 0, ""

    def tensors(self) -> dict[str, Any]:
        """Fresh tensors on the shared memory: what a candidate did to the last ones is gone with them."""
        return {name: view.detach() for name, view in self.views.items()}

    def call(self, op: int, payload: bytes) -> Answer:
        """One call or several, each with arguments of its own; times are of the calls alone."""
        calls = struct.unpack("@I", payload)[0] if op == RUN_MANY else 1
        run, spent, status, seen = self.run, 0, 0, set[str]()
        before = usage(THREAD).ru_nivcsw
        for _ in range(calls):
            tensors, params = self.tensors(), dict(self.params)
            try:
                if op == AUDIT:
                    start = clock()
                    result, seen = self.operators(lambda: run(tensors, params))  # noqa: B023 - called here
                    end = clock()
                else:
                    start = clock()
                    result = run(tensors, params)
                    end = clock()
            except BaseException as error:  # as in `load`
                traceback.print_exc()
                return RAISED, 0, 0, words(error)
            spent += end - start
            status = 0 if result is None else int(result)
            if status:
                break
        found = sorted(name for name in seen if name.startswith(tuple(self.settings["forbidden"])))
        return status, spent, usage(THREAD).ru_nivcsw - before, " ".join(found)

    def operators(self, work: Any) -> tuple[Any, set[str]]:
        """What some work returns, and the operators of torch in it, those inside of others too."""
        with self.profile(use_cpu=True) as profiled:
            result = work()
        events = profiled.kineto_results.events()
        return result, {name[6:] for event in events if (name := event.name()).startswith("aten::")}

    def digest(self, _: bytes) -> Answer:
        """The watched names, each with what stands for its object and its code."""
        lines = []
        for place, names in WATCHED.items():
            holder = self.torch.Tensor if place == "torch.Tensor" else sys.modules.get(place)
            lines += [f"{place}.{name} {fingerprint(holder, name)}" for name in names]
        own = {**vars(Worker), **globals()}
        functions = {name: value for name, value in own.items() if isinstance(value, types.FunctionType)}
        lines += [f"worker.{name} {code_of(value)}" for name, value in sorted(functions.items())]
        return 0, 0, 0, json.dumps([line.rsplit(" ", 1) for line in lines])[:MAX_TEXT]


def fingerprint(holder: Any, name: str) -> str:
    """Which object a name stands for, and its code where it has some."""
    value = getattr(holder, name, None)
    return f"{id(value):x}-{code_of(value)}"


def code_of(value: Any) -> str:
    """A function's code as a number that changes with it."""
    code = getattr(value, "__code__", None)
    return hashlib.sha256(code.co_code).hexdigest()[:8] if isinstance(code, types.CodeType) else "-"


def found(folder: str) -> Any:
    """What `load_inline` and `load` are here: they return what was built before, and build nothing."""

    def load(name: str, *_: Any, **__: Any) -> Any:
        path = os.path.join(folder, name, f"{name}.so")  # noqa: PTH118 - as few imports as can be
        if not os.path.isfile(path):  # noqa: PTH113
            raise ImportError(f"no extension {name!r} was built when the candidate was first imported")
        loader = importlib.machinery.ExtensionFileLoader(name, path)
        spec = importlib.util.spec_from_file_location(name, path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        return module

    return load


def import_file(path: str) -> types.ModuleType:
    """A module that is a file and on no search path."""
    spec = importlib.util.spec_from_file_location("kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel"] = module
    spec.loader.exec_module(module)
    return module


def map_shared(descriptor: int, size: int) -> Any:
    """The judge's memory, without Python's own copy of the descriptor. Raises `OSError`."""
    call = ctypes.CDLL(None, use_errno=True).mmap
    call.restype = ctypes.c_void_p
    call.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
    at = call(None, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, descriptor, 0)
    if at in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "mmap")
    return (ctypes.c_char * size).from_address(at)


def words(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]


def main() -> None:
    """Speak with the judge until it is gone."""
    channel, arena = int(sys.argv[1]), int(sys.argv[2])
    sys.argv[1:] = []
    os.set_inheritable(channel, False)
    os.set_inheritable(arena, False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG: ends with the judge
        ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    Worker(channel, arena).serve()


if __name__ == "__main__":
    main()
