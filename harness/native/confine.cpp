// Runs a compiler where it can do no more than compile: it may write in one folder, read the system's own
// folders and those that are named, and open no connection. What the kernel does not have is left out.
//
// usage: confine WORK [READ ...] -- COMMAND [ARGUMENT ...], or confine alone: what it could hold, a word each.
#include "filter.h"
#include "landlock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace {

bool hold_network() {
#ifdef KS_HAS_FILTER
  filter::Rules rules;
  rules.on({__NR_socket, __NR_socketpair, __NR_connect, __NR_bind, __NR_listen, __NR_ptrace,
            __NR_process_vm_readv, __NR_process_vm_writev},
           filter::REFUSE);
  rules.on({__NR_io_uring_setup}, filter::ABSENT);
  return rules.install();
#else
  return false;
#endif
}

bool hold_files(const char *work, char **reads, int count) {
#ifdef __linux__
  landlock::Rules rules;
  rules.allow(work, rules.everything());
  for (const char *path : {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/etc/alternatives",
                           "/etc/ld.so.cache", "/dev/urandom"})
    rules.allow(path, landlock::READ);
  rules.allow("/dev/null", landlock::READ_FILE | landlock::WRITE_FILE);
  for (int i = 0; i < count; ++i) rules.allow(reads[i], landlock::READ);
  return rules.install();
#else
  (void)work, (void)reads, (void)count;
  return false;
#endif
}

}  // namespace

int main(int argc, char **argv) {
  int end = 2;
  while (end < argc && strcmp(argv[end], "--") != 0) ++end;
  if (argc > 1 && end + 1 >= argc) return 64;
#ifdef __linux__
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
  const bool files = hold_files(argc > 1 ? argv[1] : "/nowhere", argv + 2, argc > 1 ? end - 2 : 0);
  const bool network = hold_network();
  if (argc == 1) {
    printf("%s%s", files ? "landlock\n" : "", network ? "no-network\n" : "");
    return 0;
  }
  execv(argv[end + 1], argv + end + 1);
  perror(argv[end + 1]);
  return 126;
}
