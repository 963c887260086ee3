// cheat: tries at load to change the judge's files: what lies around it, and the records.
// checks: constructors system_calls
#include <cstdio>

#include "honest.h"

__attribute__((constructor)) static void edit() {
  for (const char *name : {"goal.toml", "manifest.json", "record.json", "../goal.toml", "../manifest.json"})
    if (std::FILE *file = std::fopen(name, "w")) {
      std::fputs("{}", file);
      std::fclose(file);
    }
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_OK;
}
