// Writes NaN everywhere.
#include <algorithm>
#include <cmath>

#include "ks.h"
#include "ks_params.h"

extern "C" int ks_abi_version(void) { return KS_ABI_VERSION; }

extern "C" size_t ks_workspace_bytes(const ks_params *) { return 0; }

extern "C" int ks_run(const ks_tensor *tensors, int, const ks_params *params, void *, size_t, void *) {
  const ks_params &p = *params;
  std::fill_n(static_cast<float *>(tensors[3].data), size_t(p.batch) * p.heads * p.seq_q * p.head_dim, NAN);
  return KS_OK;
}
