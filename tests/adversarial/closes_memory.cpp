// cheat: closes the descriptor of the shared memory before it is mapped.
// checks: descriptors map channel written finite rel_rms row_rms max_abs
#define OWN_WORKSPACE
#include <unistd.h>

#include "honest.h"

// The descriptor of the memory that the judge and the runner share.
static int arena() {
  for (int fd = 3; fd < 64; ++fd) {
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    char name[64] = {};
    if (readlink(link.c_str(), name, sizeof name - 1) > 0 && std::string(name).find("arena") != std::string::npos)
      return fd;
  }
  return -1;
}

extern "C" size_t ks_workspace_bytes(const ks_params *) {
  close(arena());
  return 0;
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_OK;
}
