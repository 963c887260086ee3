// The candidate ABI, one for all operators. A candidate is one source file that includes this header and
// "ks_params.h" (generated from the operator's slots) and defines the three functions at the end.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define KS_ABI_VERSION 1
#define KS_MAX_RANK 8

enum ks_status { KS_OK = 0, KS_UNSUPPORTED = 1 };
enum ks_dtype { KS_FLOAT32 = 0, KS_FLOAT64 = 1, KS_INT32 = 2, KS_BFLOAT16 = 3, KS_FLOAT16 = 4 };
enum ks_role { KS_INPUT = 0, KS_OUTPUT = 1 };

typedef struct ks_tensor {
  void *data;                    // aligned to 256 bytes; inputs must not be written
  int32_t dtype;                 // enum ks_dtype
  int32_t role;                  // enum ks_role
  int32_t rank;
  int32_t reserved;
  int64_t shape[KS_MAX_RANK];    // elements
  int64_t strides[KS_MAX_RANK];  // bytes
} ks_tensor;

struct ks_params;

#ifdef __cplusplus
extern "C" {
#endif

// Returns KS_ABI_VERSION.
int ks_abi_version(void);

// Bytes of scratch memory ks_run wants for these parameters.
size_t ks_workspace_bytes(const struct ks_params *params);

// Computes the outputs. `workspace` has at least the bytes asked for and unknown content. `stream` is NULL
// on a CPU, a cudaStream_t on a GPU. Returns KS_OK, or KS_UNSUPPORTED and leaves the outputs alone.
int ks_run(const ks_tensor *tensors, int n, const struct ks_params *params, void *workspace, size_t bytes,
           void *stream);

#ifdef __cplusplus
}
#endif
