// cheat: loads a library while it is loaded itself, before anybody looks.
// checks: loader constructors mappings
#include <dlfcn.h>

#include "honest.h"

__attribute__((constructor)) static void load() {
  const std::string name = std::string("lib") + "resolv" + ".so.2";
  dlopen(name.c_str(), RTLD_NOW);
}

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  honest(t, *p);
  return KS_OK;
}
