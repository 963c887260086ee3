// What `native/contain.h` holds a runner by, for a process with Python in it: the same filter on system calls
// and the same seal on code, but files that Python itself reads can be read. It goes on opening files after the
// candidate is loaded, because Python imports late.
#include "contain.h"

// One read or write on the judge's channel, by the gate: bytes, or the error as a negative number.
extern "C" long ks_channel(int writes, int channel, void *data, size_t bytes) {
  return writes ? gate::send(channel, data, bytes) : gate::receive(channel, data, bytes);
}

// `folders`: one after the other, each ended by a NUL, an empty one at the end. Returns `Held` bits.
extern "C" uint64_t ks_contain(const char *folders, int channel) {
  uint64_t held = 0;
#ifdef __linux__
  if (containing::hold_code()) held |= CODE;
  landlock::Rules rules;
  for (const char *at = folders; *at; at += strlen(at) + 1) rules.allow(at, landlock::READ);
  for (const char *path : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/proc/cpuinfo",
                           "/proc/meminfo", "/sys/devices/system/cpu"})
    rules.allow(path, landlock::READ);
  if (rules.install()) held |= FILES;
#else
  (void)folders;
#endif
  if (hold_channel(channel) && hold_calls()) held |= SYSTEM_CALLS;
  return held;
}
