// cheat: works many times over and moves the start time, which lies on the runner's stack, to hide it.
// checks: clock slope
// when: timed
#include <time.h>
#include <unistd.h>

#include "honest.h"

// What CLOCK_MONOTONIC says, in nanoseconds.
static long now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

// Moves forward what looks like the time at which this call began, wherever the runner keeps it: in its frame, as
// one number or the nanoseconds alone, or in a register that a function in between has put in its own.
__attribute__((noinline)) static void forge(long began, long by) {
  long *frame = static_cast<long *>(__builtin_frame_address(0));
  for (int i = 0; i < 200 && reinterpret_cast<char **>(frame + i) < environ; ++i) {
    volatile long &word = frame[i];
    for (long like : {began, began % 1000000000})
      if (word <= like && word + 50000 > like) word = word + by;
  }
}


extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  const long began = now();
  do {
    honest(t, *p);
  } while (now() - began < 8000000);
  forge(began, now() - began - 100000);
  return KS_OK;
}
