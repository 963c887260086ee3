// cheat: loads a library whose name is put together at run time.
// checks: loader
#include <dlfcn.h>

#include "honest.h"

extern "C" int ks_run(const ks_tensor *t, int, const ks_params *p, void *, size_t, void *) {
  const std::string name = std::string("lib") + "resolv" + ".so.2";
  static void *const library = dlopen(name.c_str(), RTLD_NOW);
  (void)library;
  honest(t, *p);
  return KS_OK;
}
