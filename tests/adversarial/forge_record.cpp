// cheat: writes a well-formed answer to every descriptor it has, and leaves with status 0.
// checks: channel process_alive written finite rel_rms row_rms max_abs system_calls
#include <unistd.h>

#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  (void)t, (void)p;
  const struct {
    uint32_t op;
    int32_t status;
    uint64_t token, ns, value;
    uint32_t text, reserved;
  } answer = {3, KS_OK, 0, 1, 0, 0, 0};
  for (int fd = 0; fd < 64; ++fd)
    if (write(fd, &answer, sizeof answer) < 0) continue;
  _exit(0);
  return KS_OK;
}
