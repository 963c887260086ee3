// cheat: sets a timer that wakes its process while it is stopped, to work when the other side is timed.
// checks: libraries system_calls stopped
#include <signal.h>
#include <time.h>

#include "honest.h"

static void work(int) {
  for (volatile int i = 0; i < 1000000; i += 1) {
  }
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  static timer_t timer;
  static bool once = false;
  if (!once) {
    once = true;
    signal(SIGCONT, work);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    const itimerspec often{{0, 1000000}, {0, 1000000}};
    timer_settime(timer, 0, &often, nullptr);
  }
  honest(t, *p);
  return KS_OK;
}
