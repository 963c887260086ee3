"""Every check of the judge by name, and what it looks at. A refusal always carries one of these names.

A check can be switched off for tests only (`Protocol.off`): to show that each of them refuses what it is for.
No command, environment variable or file reaches that, and the record of such an evaluation says so.
"""

from enum import StrEnum


class Check(StrEnum):
    """The name a record carries in `check`."""

    # What came out of a call.
    WRITTEN = "written"
    FINITE = "finite"
    REL_RMS = "rel_rms"
    ROW_RMS = "row_rms"
    MAX_ABS = "max_abs"
    # What a call did to memory that is not its outputs.
    RED_ZONE = "red_zone"
    INPUTS_UNCHANGED = "inputs_unchanged"
    # What it answered, and whether it did.
    STATUS = "status"
    PROCESS_ALIVE = "process_alive"
    DEADLINE = "deadline"
    CHANNEL = "channel"
    ABI = "abi"
    WORKSPACE = "workspace"
    MAP = "map"
    # What its process did beside the call.
    SYSTEM_CALLS = "system_calls"
    PROCESSES = "processes"
    THREADS = "threads"
    STOPPED = "stopped"
    MAPPINGS = "mappings"
    DESCRIPTORS = "descriptors"
    # What it is made of.
    INCLUDES = "includes"
    LIBRARIES = "libraries"
    LOADER = "loader"
    CONSTRUCTORS = "constructors"
    # Time.
    CLOCK = "clock"
    SLOPE = "slope"
    IMPOSSIBLE = "impossible"
    # Python candidates only.
    MODULES = "modules"
    # The contest itself.
    OFF_LIST = "off_list"
    TRIVIAL_KERNELS_FAIL = "trivial_kernels_fail"
    START_PASSES = "start_passes"


MEANING: dict[Check, str] = {
    Check.WRITTEN: "every element of every output was written: none is still the poison",
    Check.FINITE: "no output element is NaN or infinite",
    Check.REL_RMS: "an output's relative RMS error is within its limit",
    Check.ROW_RMS: "so is that of each row, a slice along the last axis",
    Check.MAX_ABS: "so is the largest single deviation",
    Check.RED_ZONE: "no byte outside the buffers was written",
    Check.INPUTS_UNCHANGED: "every input byte is as before the call",
    Check.STATUS: "ks_run returned KS_OK, or KS_UNSUPPORTED with nothing written",
    Check.PROCESS_ALIVE: "the process lived until it was told to go",
    Check.DEADLINE: "the call returned in time",
    Check.CHANNEL: "only the runner spoke on the judge's channel",
    Check.ABI: "the three functions are there, with this judge's ABI version",
    Check.WORKSPACE: "the workspace asked for is within the limit",
    Check.MAP: "the scenario's memory could be mapped and is as the judge made it: nothing was done to its "
    "descriptor",
    Check.SYSTEM_CALLS: "the filter saw no call to start a process, signal or look into another, stop or "
    "wake itself, speak on the judge's channel, seal its memory, open a file to write, make or remove one, "
    "open a socket, or make memory into code",
    Check.PROCESSES: "no other process came of it",
    Check.THREADS: "no thread was left after the call",
    Check.STOPPED: "between its calls the process stood still",
    Check.MAPPINGS: "no new file was mapped while it ran",
    Check.DESCRIPTORS: "no descriptor was opened and left",
    Check.INCLUDES: "the source read system headers, ks.h and ks_params.h only",
    Check.LIBRARIES: "the binary needs allowed libraries only and asks for no forbidden symbol",
    Check.LOADER: "the binary does not ask for the loader or for ways around it",
    Check.CONSTRUCTORS: "no code runs when the library is loaded, beside the compiler's own",
    Check.CLOCK: "the runner's clock saw the time that the kernel charged, and no more than the judge's",
    Check.SLOPE: "the runner's clock saw the time of calls in a row too",
    Check.IMPOSSIBLE: "no call was faster than the machine can move its bytes or do its operations",
    Check.MODULES: "the Python that surrounds a candidate is as it was before it was loaded",
    Check.OFF_LIST: "shapes that are not on the list are right too",
    Check.TRIVIAL_KERNELS_FAIL: "kernels that do not do the work fail the scenario",
    Check.START_PASSES: "the start is right there, and the reference finite",
}
"""One line a check, for the documents."""
