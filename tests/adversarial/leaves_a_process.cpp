// cheat: leaves a process in a session of its own, which would burn the core while the other side is timed.
// checks: libraries system_calls processes
#include <unistd.h>

#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  static bool once = false;
  if (!once) {
    once = true;
    if (fork() == 0) {
      setsid();
      sleep(5);
      _exit(0);
    }
  }
  honest(t, *p);
  return KS_OK;
}
