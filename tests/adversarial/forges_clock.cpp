// cheat: works many times over and moves the start time, which lies on the runner's stack, to hide it.
// checks: clock slope
// when: timed
#include "honest.h"

// The cheat itself, which test_bounds.py takes too.
#include <time.h>
#include <unistd.h>

constexpr long SECOND = 1000000000;

// What CLOCK_MONOTONIC says, in nanoseconds.
static long now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * SECOND + t.tv_nsec;
}

// Moves forward the time at which the runner began this call. What it read lies in its frame, seconds and
// nanoseconds, up to a millisecond before `began`. What it keeps of that, the nanoseconds or both as one number,
// is in a register that a function in between has put in its own frame. Only a word that is exactly that is written.
__attribute__((noinline)) static void forge(long began, long by) {
  volatile long *frame = static_cast<long *>(__builtin_frame_address(0));
  const long whole = began / SECOND, rest = began % SECOND;
  long read = 0;
  int end = 0;
  for (int i = 0; i < 600 && reinterpret_cast<char *volatile *>(frame + i + 2) < environ; ++i) {
    const long like = frame[i + 1];
    if (frame[i] == whole && like < rest && like > rest - 1000000) read = like, end = i;
  }
  if (read < 1000000) return;  // not found, or so small that a count or a length could be the same
  for (int i = 0; i < end; ++i)
    if (frame[i] == read || frame[i] == whole * SECOND + read) frame[i] = frame[i] + by;
}
// The end of the cheat itself.

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  const long began = now();
  do {
    honest(t, *p);
  } while (now() - began < 8000000);
  forge(began, now() - began - 100000);
  return KS_OK;
}
