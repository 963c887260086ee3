// A filter on a process's system calls, as a list of rules that are put together into one program.
#pragma once

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define KS_HAS_FILTER 1

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>
#include <vector>

#include "gate.h"

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

namespace filter {

constexpr uint32_t ALLOW = SECCOMP_RET_ALLOW, KILL = SECCOMP_RET_KILL_PROCESS;
constexpr uint32_t REFUSE = SECCOMP_RET_ERRNO | EPERM, DENY = SECCOMP_RET_ERRNO | EACCES;
constexpr uint32_t ABSENT = SECCOMP_RET_ERRNO | ENOSYS;

// The low half of an argument, counted from 0 (both processors are little endian).
constexpr uint32_t argument(int index) { return offsetof(seccomp_data, args) + 8 * index; }

class Rules {
 public:
  // A call under another convention has other numbers; it ends the process.
  Rules() {
#ifdef __x86_64__
    const uint32_t machine = AUDIT_ARCH_X86_64;
#else
    const uint32_t machine = AUDIT_ARCH_AARCH64;
#endif
    add(LOAD, offsetof(seccomp_data, arch));
    add(EQUAL, machine, 1, 0);
    add(ANSWER, KILL);
    add(LOAD, offsetof(seccomp_data, nr));
#ifdef __x86_64__
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);
    add(ANSWER, KILL);
#endif
  }

  void on(std::initializer_list<long> calls, uint32_t what) {
    for (long call : calls) {
      add(EQUAL, static_cast<uint32_t>(call), 0, 1);
      add(ANSWER, what);
    }
  }

  // `what` if it equals.
  void where(long call, uint32_t at, uint32_t value, uint32_t what) { compare(call, at, EQUAL, value, what, ALLOW); }

  // `what` if it is one of them.
  void where_any(long call, uint32_t at, std::initializer_list<uint32_t> values, uint32_t what) {
    const uint8_t count = static_cast<uint8_t>(values.size());
    add(EQUAL, static_cast<uint32_t>(call), 0, static_cast<uint8_t>(count + 3));
    add(LOAD, at);
    uint8_t left = count;
    for (uint32_t value : values) add(EQUAL, value, left--, 0);
    add(ANSWER, ALLOW);
    add(ANSWER, what);
  }

  // `what` if one of several arguments equals.
  void where_either(long call, std::initializer_list<uint32_t> arguments, uint32_t value, uint32_t what) {
    const uint8_t count = static_cast<uint8_t>(arguments.size());
    add(EQUAL, static_cast<uint32_t>(call), 0, static_cast<uint8_t>(2 * count + 2));
    uint8_t left = count;
    for (uint32_t at : arguments) {
      add(LOAD, at);
      add(EQUAL, value, static_cast<uint8_t>(2 * --left + 1), 0);
    }
    add(ANSWER, ALLOW);
    add(ANSWER, what);
  }

  // `what` if the argument equals `value` and the call does not come from the gate.
  void by_gate(long call, uint32_t at, uint32_t value, uint32_t what) {
    const uint64_t past = reinterpret_cast<uint64_t>(ks_gate_past);
    constexpr uint32_t from = offsetof(seccomp_data, instruction_pointer);
    add(EQUAL, static_cast<uint32_t>(call), 0, 8);
    add(LOAD, at);
    add(EQUAL, value, 0, 4);
    add(LOAD, from);
    add(EQUAL, static_cast<uint32_t>(past), 0, 3);
    add(LOAD, from + 4);
    add(EQUAL, static_cast<uint32_t>(past >> 32), 0, 1);
    add(ANSWER, ALLOW);
    add(ANSWER, what);
  }

  // A signal: `what` if it goes to another process than `self`, or is one of these.
  void signals(long call, uint32_t self, uint32_t at, std::initializer_list<uint32_t> never, uint32_t what) {
    const uint8_t count = static_cast<uint8_t>(never.size());
    add(EQUAL, static_cast<uint32_t>(call), 0, static_cast<uint8_t>(count + 5));
    add(LOAD, argument(0));
    add(EQUAL, self, 0, static_cast<uint8_t>(count + 2));
    add(LOAD, at);
    uint8_t left = count;
    for (uint32_t signal : never) add(EQUAL, signal, left--, 0);
    add(ANSWER, ALLOW);
    add(ANSWER, what);
  }

  // `what` if any of the bits is set, else `otherwise`.
  void bits(long call, uint32_t at, uint32_t mask, uint32_t what, uint32_t otherwise = ALLOW) {
    compare(call, at, BPF_JMP | BPF_JSET | BPF_K, mask, what, otherwise);
  }

  // Whether it is in force now, for this process and whatever it becomes. What no rule names is allowed.
  bool install() {
    add(ANSWER, ALLOW);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ks_gate(__NR_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, reinterpret_cast<long>(&program)) == 0;
  }

 private:
  static constexpr uint32_t LOAD = BPF_LD | BPF_W | BPF_ABS, EQUAL = BPF_JMP | BPF_JEQ | BPF_K, ANSWER = BPF_RET | BPF_K;

  void compare(long call, uint32_t at, uint32_t how, uint32_t value, uint32_t yes, uint32_t no) {
    add(EQUAL, static_cast<uint32_t>(call), 0, 4);
    add(LOAD, at);
    add(how, value, 0, 1);
    add(ANSWER, yes);
    add(ANSWER, no);
  }

  void add(uint32_t op, uint32_t k, uint8_t yes = 0, uint8_t no = 0) {
    code_.push_back({static_cast<uint16_t>(op), yes, no, k});
  }

  std::vector<sock_filter> code_;
};

}  // namespace filter

#endif
