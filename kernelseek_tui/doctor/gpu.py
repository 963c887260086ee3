"""What there is of CUDA, and that it is of no use here yet."""

from kernelseek_tui.doctor.finding import Finding, State, Surroundings

NOT_BUILT = "candidates run on the CPU only: judging on CUDA is not built"


def driver(around: Surroundings) -> Finding:
    """The GPUs that the driver sees."""
    path = around.which("nvidia-smi")
    if path is None:
        return Finding("nvidia-smi", State.NOTE, "not on PATH", NOT_BUILT)
    answer = around.ask([path, "--query-gpu=name,driver_version", "--format=csv,noheader"])
    found = "; ".join(answer.text.splitlines()[:8]) if answer.good else f"{path}: {answer.line}"
    return Finding("nvidia-smi", State.NOTE, found, NOT_BUILT)


def nvcc(around: Surroundings) -> Finding:
    """The CUDA compiler."""
    path = around.which("nvcc")
    if path is None:
        return Finding("nvcc", State.NOTE, "not on PATH", NOT_BUILT)
    answer = around.ask([path, "--version"])
    release = next((line for line in answer.text.splitlines() if "release" in line), answer.line)
    return Finding("nvcc", State.NOTE, release or path, NOT_BUILT)
