// What a process with a candidate in it may not do.
//
// `contain` comes before the candidate: it may not start processes, leave its group, wake itself while it is
// stopped, signal or look into others, resize the judge's memory, open a file to write, make, move or remove
// one, open a socket, make memory that is a file, change the machine's clock, speak on the judge's channel (only
// the runner's own instruction may, gate.h), stop itself, or hide from the judge; such a call ends the process with SIGSYS, which the judge reports by name. Moving itself to another core or
// priority is answered with EPERM, because a thread library may ask for it in good faith. Files it may read
// are the system's libraries and the candidate's folder (Landlock), and what is mapped of the runner and its
// libraries stays as it is, and so does the kernel's clock in its memory (mseal).
//
// `contain_calls` comes once the candidate is loaded: no file is opened any more (EACCES: a C++ library may
// look for the number of processors in good faith, and does without), no memory becomes code, no other filter.
//
// Each part is left out where the kernel or the processor does not have it, and the record says so.
#pragma once

#include <stdint.h>

#include <string>

// What is in force (harness/protocol.py knows them too).
enum Held : uint64_t { SYSTEM_CALLS = 1, FILES = 2, CODE = 4 };

#ifdef __linux__
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "filter.h"
#include "landlock.h"

#ifdef __linux__

namespace containing {

inline std::string folder_of(const std::string &path) { return path.substr(0, path.rfind('/')); }

// Only the runner's libraries, the candidate's folder, and what the loader looks up.
inline bool hold_files(const std::string &folder) {
  landlock::Rules rules;
  rules.allow(folder, landlock::READ);
  for (const char *path : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"})
    rules.allow(path, landlock::READ);
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *to) {
        if (object->dlpi_name && object->dlpi_name[0] == '/')
          static_cast<landlock::Rules *>(to)->allow(folder_of(object->dlpi_name), landlock::READ);
        return 0;
      },
      &rules);
  return rules.install();
}

// Neither the runner's own code and tables nor its libraries' may be changed, unmapped or replaced.
// Writable data stays writable. Source: mseal(2), Linux 6.10.
inline bool seal(uintptr_t from, uintptr_t past) { return syscall(462, from, past - from, 0) == 0; }

// The kernel's clock code and what it reads ([vdso], [vvar]); [vsyscall] is out of any process's reach.
inline bool hold_clock() {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return false;
  bool held = true;
  char line[512];
  unsigned long from, past;
  while (fgets(line, sizeof line, maps))
    if ((strstr(line, "[vdso") || strstr(line, "[vvar")) && sscanf(line, "%lx-%lx", &from, &past) == 2)
      held &= seal(from, past);
  fclose(maps);
  return held;
}

// To be called while files can still be opened.
inline bool hold_code() {
#if defined(__x86_64__) || defined(__aarch64__)
  bool held = hold_clock();
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *to) {
        if (object->dlpi_name && strstr(object->dlpi_name, "vdso")) return 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto &part = object->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          const uintptr_t page = static_cast<uintptr_t>(getpagesize()) - 1;
          const uintptr_t from = (object->dlpi_addr + part.p_vaddr) & ~page;
          const uintptr_t past = (object->dlpi_addr + part.p_vaddr + part.p_memsz + page) & ~page;
          if (!seal(from, past)) *static_cast<bool *>(to) = false;
        }
        return 0;
      },
      &held);
  return held;
#else
  return false;
#endif
}

}  // namespace containing

#endif

#ifdef KS_HAS_FILTER

inline bool hold_calls() {
  using namespace filter;
  const uint32_t self = static_cast<uint32_t>(getpid());
  Rules rules;
  rules.on({__NR_read, __NR_write}, ALLOW);  // in every timed call: `hold_channel` looks at these

  // Processes, and signals to any.
#ifdef __x86_64__
  rules.on({__NR_fork, __NR_vfork}, KILL);
#endif
  rules.bits(__NR_clone, argument(0), CLONE_THREAD, ALLOW, KILL);
  rules.on({435 /* clone3: its flags are behind a pointer; the C library then takes clone */}, ABSENT);
  rules.on({__NR_execve, __NR_execveat, __NR_setsid, __NR_setpgid, __NR_timer_create, __NR_rt_sigqueueinfo,
            __NR_rt_tgsigqueueinfo, 424 /* pidfd_send_signal */, __NR_tkill},
           KILL);
  // To stop and go on is the judge's: a process that stops itself is not charged for what the judge does.
  rules.signals(__NR_kill, self, argument(1), {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT}, KILL);
  rules.signals(__NR_tgkill, self, argument(2), {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT}, KILL);
  // What would run code of its own as soon as the stopped process goes on, before its call: a handler for
  // SIGCONT, timers that signal, descriptors that signal (F_SETOWN, F_SETSIG, F_SETOWN_EX, leases, notices).
  rules.where(__NR_rt_sigaction, argument(0), SIGCONT, KILL);
  rules.on({__NR_setitimer}, KILL);
#ifdef __x86_64__
  rules.on({__NR_alarm}, KILL);
#endif
  // And what would fix the judge's memory for good before the judge gave it its size (F_ADD_SEALS).
  rules.where_any(__NR_fcntl, argument(1), {8, 10, 15, 1024, 1026, 1033}, KILL);
  rules.where_any(__NR_ioctl, argument(1), {0x8901, 0x8902, 0x5452}, KILL);  // the same by FIOSETOWN and others
  rules.on({__NR_setpriority, __NR_sched_setaffinity, __NR_sched_setscheduler, __NR_sched_setattr,
            __NR_sched_setparam},
           REFUSE);

  // Others' memory and descriptors, and memory that can be shared or sent.
  rules.on({__NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_kcmp, 434 /* pidfd_open */,
            438 /* pidfd_getfd */, 440 /* process_madvise */, __NR_memfd_create, 447 /* memfd_secret */,
            __NR_userfaultfd, __NR_shmget, __NR_shmat, __NR_shmctl, __NR_mq_open, __NR_remap_file_pages},
           KILL);
  rules.on({__NR_personality}, KILL);  // it can have all memory that is read be code
  // Hiding from the judge: PDEATHSIG, DUMPABLE, MM, PTRACER.
  rules.where_any(__NR_prctl, argument(0), {1, 4, 35, 0x59616d61}, KILL);

  // Files: reading is Landlock's matter.
  const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
#ifdef __x86_64__
  rules.bits(__NR_open, argument(1), writing, KILL);
  rules.on({__NR_creat, __NR_unlink, __NR_rename, __NR_mkdir, __NR_rmdir, __NR_link, __NR_symlink, __NR_chmod,
            __NR_chown, __NR_lchown, __NR_mknod, __NR_utime, __NR_utimes, __NR_futimesat},
           KILL);
#endif
#ifdef __NR_renameat
  rules.on({__NR_renameat}, KILL);
#endif
  rules.bits(__NR_openat, argument(2), writing, KILL);
  rules.on({437 /* openat2: its flags are behind a pointer */}, ABSENT);
  rules.on({__NR_truncate, __NR_ftruncate, __NR_fallocate, __NR_unlinkat, __NR_renameat2, __NR_mkdirat,
            __NR_linkat, __NR_symlinkat, __NR_fchmod, __NR_fchmodat, __NR_fchown, __NR_fchownat, __NR_mknodat,
            __NR_utimensat, __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, __NR_removexattr, __NR_lremovexattr,
            __NR_fremovexattr, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, 428 /* open_tree */,
            429 /* move_mount */, 430 /* fsopen */, 452 /* fchmodat2 */, __NR_name_to_handle_at,
            __NR_open_by_handle_at},
           KILL);

  // Network.
  rules.on({__NR_socket, __NR_socketpair, __NR_connect, __NR_bind, __NR_listen, __NR_accept, __NR_accept4}, KILL);
  rules.on({__NR_io_uring_setup, __NR_io_setup, __NR_io_submit}, ABSENT);

  // A filter of its own could have the runner's calls come to a handler of its own.
  rules.on({__NR_seccomp}, KILL);
  rules.by_gate(__NR_prctl, argument(0), PR_SET_SECCOMP, KILL);

  // The machine's own matters.
  rules.on({__NR_bpf, __NR_perf_event_open, __NR_keyctl, __NR_add_key, __NR_request_key, __NR_setns, __NR_unshare,
            __NR_settimeofday, __NR_clock_settime, __NR_clock_adjtime, __NR_adjtimex, __NR_reboot,
            __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_swapon, __NR_swapoff},
           KILL);
  return rules.install();
}

// Only the gate reads and writes the judge's channel, and it has no second name. A program of its own, because
// a rule here looks at another argument of a call than the rule above does.
inline bool hold_channel(int channel) {
  using namespace filter;
  const uint32_t it = static_cast<uint32_t>(channel);
  Rules rules;
  rules.by_gate(__NR_read, argument(0), it, KILL);
  rules.by_gate(__NR_write, argument(0), it, KILL);
#ifdef __x86_64__
  rules.where(__NR_dup2, argument(0), it, KILL);
#endif
  for (long call : {__NR_readv, __NR_writev, __NR_pread64, __NR_pwrite64, __NR_preadv, __NR_pwritev, __NR_preadv2,
                    __NR_pwritev2, __NR_sendto, __NR_sendmsg, __NR_sendmmsg, __NR_recvfrom, __NR_recvmsg,
                    __NR_recvmmsg, __NR_vmsplice, __NR_dup, __NR_dup3, __NR_fcntl, __NR_ioctl, __NR_setsockopt})
    rules.where(call, argument(0), it, KILL);
  rules.where_either(__NR_splice, {argument(0), argument(2)}, it, KILL);
  rules.where_either(__NR_tee, {argument(0), argument(1)}, it, KILL);
  rules.where_either(__NR_sendfile, {argument(0), argument(1)}, it, KILL);
  rules.where_either(__NR_copy_file_range, {argument(0), argument(2)}, it, KILL);
  return rules.install();
}

inline bool contain_calls() {
  using namespace filter;
  Rules rules;
  rules.on({__NR_read, __NR_write}, ALLOW);
#ifdef __x86_64__
  rules.on({__NR_open}, DENY);
#endif
  rules.on({__NR_openat}, DENY);
  rules.bits(__NR_mmap, argument(2), 4 /* PROT_EXEC */, KILL);
  rules.bits(__NR_mprotect, argument(2), 4, KILL);
  rules.bits(__NR_pkey_mprotect, argument(2), 4, KILL);
  rules.where(__NR_prctl, argument(0), PR_SET_SECCOMP, KILL);
  return rules.install();
}

#else

inline bool hold_calls() { return false; }
inline bool hold_channel(int) { return false; }
inline bool contain_calls() { return false; }

#endif

// What of it is in force, as `Held`. `folder` is where the candidate lies, `channel` the judge's.
inline uint64_t contain(const std::string &folder, int channel) {
  uint64_t held = 0;
#ifdef __linux__
  if (containing::hold_code()) held |= CODE;
  if (containing::hold_files(folder)) held |= FILES;
#else
  (void)folder;
#endif
  if (hold_channel(channel) && hold_calls()) held |= SYSTEM_CALLS;
  return held;
}
