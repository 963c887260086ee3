// cheat: maps a file while a static object is made, by asking the system itself, with no telling symbol.
// checks: mappings
#include "honest.h"

static long call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// openat, mmap, close
static long other() {
  const long file = call(257, -100, reinterpret_cast<long>("/etc/ld.so.cache"), 0, 0, 0, 0);
  const long at = call(9, 0, 4096, 1, 2, file, 0);
  call(3, file, 0, 0, 0, 0, 0);
  return at;
}

static const long mapped = other();

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_OK;
}
