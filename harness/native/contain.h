// What a process with a candidate in it may not ask of the kernel: to start processes, to leave its group, to
// wake itself while it is stopped, to signal others, to resize the judge's memory, or to move itself to another
// core or priority. The first kinds end the process with SIGSYS, which the judge reports by name; the last is
// answered with EPERM, because a thread library may ask for it in good faith.
//
// Nothing else is kept from it: it is no sandbox. Where the kernel or the processor has no filter for this,
// nothing happens here, and the judge says so in the record.
#pragma once

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif
#ifndef __NR_clone3
#define __NR_clone3 435
#endif
#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup 425
#endif
#ifndef __NR_pidfd_send_signal
#define __NR_pidfd_send_signal 424
#endif

inline void contain() {
#ifdef __x86_64__
  const uint32_t machine = AUDIT_ARCH_X86_64;
#else
  const uint32_t machine = AUDIT_ARCH_AARCH64;
#endif
  const uint32_t allow = SECCOMP_RET_ALLOW, kill = SECCOMP_RET_KILL_PROCESS;
  const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM, absent = SECCOMP_RET_ERRNO | ENOSYS;
  const uint32_t number = offsetof(seccomp_data, nr), arch = offsetof(seccomp_data, arch);
  const uint32_t first = offsetof(seccomp_data, args), second = first + 8;  // low halves: little endian
  const uint32_t load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K, answer = BPF_RET | BPF_K;
  const uint32_t self = static_cast<uint32_t>(getpid());

  std::vector<sock_filter> code;
  auto add = [&](uint32_t op, uint32_t k, uint8_t yes = 0, uint8_t no = 0) {
    code.push_back({static_cast<uint16_t>(op), yes, no, k});
  };
  auto on = [&](long call, uint32_t what) {
    add(equal, static_cast<uint32_t>(call), 0, 1);
    add(answer, what);
  };
  // `what` unless the 32-bit word at `at` equals `value`.
  auto unless = [&](long call, uint32_t at, uint32_t value, uint32_t what) {
    add(equal, static_cast<uint32_t>(call), 0, 4);
    add(load, at);
    add(equal, value, 0, 1);
    add(answer, allow);
    add(answer, what);
  };
  // `what` if it equals.
  auto where = [&](long call, uint32_t at, uint32_t value, uint32_t what) {
    add(equal, static_cast<uint32_t>(call), 0, 4);
    add(load, at);
    add(equal, value, 0, 1);
    add(answer, what);
    add(answer, allow);
  };

  add(load, arch);
  add(equal, machine, 1, 0);
  add(answer, kill);  // another calling convention has other numbers
  add(load, number);
#ifdef __x86_64__
  add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);
  add(answer, kill);
  on(__NR_fork, kill);
  on(__NR_vfork, kill);
#endif
  add(equal, __NR_clone, 0, 4);
  add(load, first);
  add(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  add(answer, allow);
  add(answer, kill);
  on(__NR_clone3, absent);  // its flags are behind a pointer; the C library then takes clone
  for (long call : {__NR_execve, __NR_execveat, __NR_setsid, __NR_setpgid, __NR_timer_create, __NR_ptrace,
                    __NR_process_vm_readv, __NR_process_vm_writev, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo,
                    __NR_pidfd_send_signal, __NR_tkill, __NR_ftruncate})
    on(call, kill);
  unless(__NR_kill, first, self, kill);
  unless(__NR_tgkill, first, self, kill);
  where(__NR_fcntl, second, 10, kill);  // F_SETSIG: a descriptor that wakes the stopped process
  for (long call : {__NR_setpriority, __NR_sched_setaffinity, __NR_sched_setscheduler, __NR_sched_setattr,
                    __NR_sched_setparam})
    on(call, refuse);
  on(__NR_io_uring_setup, absent);
  add(answer, allow);

  sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

inline void contain() {}

#endif
