// cheat: keeps the descriptor of the shared memory and cuts it short under the judge.
// checks: system_calls descriptors
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

static int kept = -1;

extern "C" size_t ks_workspace_bytes(const ks_params *) {
  kept = dup(arena());
  return 0;
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  if (ftruncate(kept, 0) == 0) return KS_OK;
  honest(t, *p);
  return KS_OK;
}
