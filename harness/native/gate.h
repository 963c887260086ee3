// The one instruction by which the runner asks the system for what its candidate may not ask for: to speak on
// the judge's channel, and to put a filter on itself. A filter compares where a call came from with
// `ks_gate_past` (seccomp_data.instruction_pointer is the address behind the instruction), so the same call
// from anywhere else ends the process. Code in the same process can still jump here: docs/policy.md.
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define KS_HAS_GATE 1

#include <sys/syscall.h>

extern "C" {
// A system call with up to three arguments; what the kernel answers, a negative number for an error.
__attribute__((visibility("hidden"))) long ks_gate(long number, long a, long b, long c);
__attribute__((visibility("hidden"))) extern const char ks_gate_past[];
}

#ifdef __x86_64__
asm(R"(
    .pushsection .text
    .globl ks_gate, ks_gate_past
    .hidden ks_gate, ks_gate_past
    .type ks_gate, @function
ks_gate:
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov %rcx, %rdx
    syscall
ks_gate_past:
    ret
    .size ks_gate, . - ks_gate
    .popsection
)");
#else
asm(R"(
    .pushsection .text
    .globl ks_gate
    .globl ks_gate_past
    .hidden ks_gate
    .hidden ks_gate_past
    .type ks_gate, %function
ks_gate:
    mov x8, x0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    svc #0
ks_gate_past:
    ret
    .size ks_gate, . - ks_gate
    .popsection
)");
#endif

#endif

namespace gate {

// read(2) and write(2), by the gate where there is one: bytes, or the error as a negative number.
inline long receive(int descriptor, void *data, size_t bytes) {
#ifdef KS_HAS_GATE
  return ks_gate(__NR_read, descriptor, reinterpret_cast<long>(data), static_cast<long>(bytes));
#else
  const ssize_t n = read(descriptor, data, bytes);
  return n < 0 ? -errno : n;
#endif
}

inline long send(int descriptor, const void *data, size_t bytes) {
#ifdef KS_HAS_GATE
  return ks_gate(__NR_write, descriptor, reinterpret_cast<long>(data), static_cast<long>(bytes));
#else
  const ssize_t n = write(descriptor, data, bytes);
  return n < 0 ? -errno : n;
#endif
}

}  // namespace gate
