// What one core of this machine does at best: bytes moved a second by working set, and operations a second by
// precision. The best of several repeats counts, because whatever else runs here can only make it slower.
//
// usage: ceilings CORE (-1: wherever). Prints lines: "bandwidth SET_BYTES BYTES_A_SECOND" and "operations
// PRECISION OPERATIONS_A_SECOND"; a precision that this program knows no way to drive at full rate is left out.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>

namespace {

#if defined(__AVX512F__)
constexpr int VECTOR = 64;
#elif defined(__AVX__)
constexpr int VECTOR = 32;
#else
constexpr int VECTOR = 16;
#endif

typedef uint64_t words __attribute__((vector_size(VECTOR)));
typedef float floats __attribute__((vector_size(VECTOR)));
typedef double doubles __attribute__((vector_size(VECTOR)));

constexpr size_t SMALLEST = size_t(16) << 10, LARGEST = size_t(256) << 20;  // powers of 4
constexpr uint64_t CHUNK_NS = 600000;  // one measurement lasts about so long
constexpr int REPEATS = 7;
constexpr int CHAINS = 12;  // independent sums: more than latency times units, and they fit 16 registers

uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

void pin(int core) {
#ifdef __linux__
  if (core < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
#else
  (void)core;
#endif
}

volatile uint64_t sink;

// A pass over a set. Every other one runs backwards, so that what the last one left in a cache is met first: no
// order of one pass over so many bytes can find more of them there.
void read_pass(const char *data, size_t bytes, bool back) {
  constexpr size_t STEP = 8 * VECTOR;
  const size_t steps = bytes / STEP;
  words sum[8] = {};
  for (size_t i = 0; i < steps; ++i) {
    const words *at = reinterpret_cast<const words *>(data + (back ? steps - 1 - i : i) * STEP);
    for (int j = 0; j < 8; ++j) sum[j] |= at[j];
  }
  words all = sum[0];
  for (int j = 1; j < 8; ++j) all |= sum[j];
  sink = sink | all[0];
}

void write_pass(char *data, size_t bytes, bool back) {
  const size_t half = bytes / 2;
  memset(data + (back ? half : 0), 1, half);
  memset(data + (back ? 0 : half), 1, bytes - half);
}

// Half of the set into the other half: as many bytes are moved as the set has.
void copy_pass(char *data, size_t bytes, bool back) {
  const size_t half = bytes / 2;
  memcpy(data + (back ? 0 : half), data + (back ? half : 0), half);
}

// Bytes a second of the fastest of reading, writing and copying.
double bandwidth(char *data, size_t bytes) {
  double best = 0;
  for (int kind = 0; kind < 3; ++kind) {
    uint64_t passes = 2;
    const int repeats = bytes < (size_t(8) << 20) ? REPEATS : 3;
    for (int repeat = 0; repeat < repeats;) {
      const uint64_t start = now();
      for (uint64_t pass = 0; pass < passes; ++pass) {
        const bool back = pass % 2;
        if (kind == 0) read_pass(data, bytes, back);
        if (kind == 1) write_pass(data, bytes, back);
        if (kind == 2) copy_pass(data, bytes, back);
        asm volatile("" : : "r"(data) : "memory");
      }
      const uint64_t ns = std::max<uint64_t>(1, now() - start);
      best = std::max(best, 1e9 * static_cast<double>(bytes) * static_cast<double>(passes) / static_cast<double>(ns));
      if (ns < CHUNK_NS / 2) {
        passes *= 2;  // too short to be told from the clock
      } else {
        ++repeat;
      }
    }
  }
  return best;
}

// Operations a second of `work(rounds)`, which makes `operations` in each round.
template <class Work>
double rate(Work work, double operations) {
  double best = 0;
  uint64_t rounds = 1024;
  for (int repeat = 0; repeat < REPEATS;) {
    const uint64_t start = now();
    work(rounds);
    const uint64_t ns = std::max<uint64_t>(1, now() - start);
    if (ns < CHUNK_NS / 2) {
      rounds *= 2;
      continue;
    }
    ++repeat;
    best = std::max(best, 1e9 * operations * static_cast<double>(rounds) / static_cast<double>(ns));
  }
  return best;
}

// Multiply-adds on vectors: CHAINS sums that do not wait for each other.
template <class Vector, class Scalar>
void multiply_add(uint64_t rounds) {
  Vector sum[CHAINS], factor = {}, term = {};
  factor += Scalar(0.999);
  term += Scalar(0.001);
  for (auto &one : sum) one = term;
  asm volatile("" : "+m"(factor), "+m"(term));  // not constants
  for (uint64_t round = 0; round < rounds; ++round)
    for (auto &one : sum) one = one * factor + term;
  Vector all = sum[0];
  for (int i = 1; i < CHAINS; ++i) all += sum[i];
  sink = sink | static_cast<uint64_t>(all[0]);
}

template <class Vector, class Scalar>
double multiply_add_rate() {
  return rate(multiply_add<Vector, Scalar>, 2.0 * CHAINS * (VECTOR / sizeof(Scalar)));
}

#ifdef __AVX512BF16__
void dot_bfloat16(uint64_t rounds) {
  __m512 sum[CHAINS];
  __m512bh a = _mm512_cvtne2ps_pbh(_mm512_set1_ps(0.5f), _mm512_set1_ps(0.25f)), b = a;
  for (auto &one : sum) one = _mm512_setzero_ps();
  asm volatile("" : "+m"(a), "+m"(b));
  for (uint64_t round = 0; round < rounds; ++round)
    for (auto &one : sum) one = _mm512_dpbf16_ps(one, a, b);
  __m512 all = sum[0];
  for (int i = 1; i < CHAINS; ++i) all = _mm512_add_ps(all, sum[i]);
  sink = sink | static_cast<uint64_t>(_mm512_cvtss_f32(all));
}
#endif

#ifdef __AVX512FP16__
void multiply_add_float16(uint64_t rounds) {
  __m512h sum[CHAINS], factor = _mm512_set1_ph(0.5f16), term = _mm512_set1_ph(0.25f16);
  for (auto &one : sum) one = term;
  asm volatile("" : "+m"(factor), "+m"(term));
  for (uint64_t round = 0; round < rounds; ++round)
    for (auto &one : sum) one = _mm512_fmadd_ph(one, factor, term);
  __m512h all = sum[0];
  for (int i = 1; i < CHAINS; ++i) all = _mm512_add_ph(all, sum[i]);
  sink = sink | static_cast<uint64_t>(_mm512_cvtsh_h(all));
}
#endif

#if defined(__AMX_BF16__) || defined(__AMX_FP16__)
// Tiles are the kernel's to give: False where it does not.
bool tiles() {
  constexpr int ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18;
  if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA) != 0) return false;
  alignas(64) unsigned char config[64] = {1};
  for (int tile = 0; tile < 6; ++tile) {
    config[16 + 2 * tile] = 64;  // bytes a row
    config[48 + tile] = 16;      // rows
  }
  _tile_loadconfig(config);
  _tile_zero(0), _tile_zero(1), _tile_zero(2), _tile_zero(3), _tile_zero(4), _tile_zero(5);
  return true;
}
constexpr double TILE_OPERATIONS = 4.0 * 2 * 16 * 16 * 32;
#endif

#ifdef __AMX_BF16__
void tile_bfloat16(uint64_t rounds) {
  for (uint64_t round = 0; round < rounds; ++round) {
    _tile_dpbf16ps(0, 4, 5);
    _tile_dpbf16ps(1, 4, 5);
    _tile_dpbf16ps(2, 4, 5);
    _tile_dpbf16ps(3, 4, 5);
  }
}
#endif

#ifdef __AMX_FP16__
void tile_float16(uint64_t rounds) {
  for (uint64_t round = 0; round < rounds; ++round) {
    _tile_dpfp16ps(0, 4, 5);
    _tile_dpfp16ps(1, 4, 5);
    _tile_dpfp16ps(2, 4, 5);
    _tile_dpfp16ps(3, 4, 5);
  }
}
#endif

void print(const char *precision, double operations) { printf("operations %s %.6g\n", precision, operations); }

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  pin(atoi(argv[1]));
  void *memory = mmap(nullptr, LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
#ifdef MADV_HUGEPAGE
  madvise(memory, LARGEST, MADV_HUGEPAGE);
#endif
  char *data = static_cast<char *>(memory);
  memset(data, 1, LARGEST);  // pages that were never written are all one page
  for (size_t bytes = SMALLEST; bytes <= LARGEST; bytes *= 4)
    printf("bandwidth %zu %.6g\n", bytes, bandwidth(data, bytes));

  // Other processors have units that plain vectors do not reach, and a ceiling may not be too low.
#ifdef __x86_64__
  const double float32 = multiply_add_rate<floats, float>();
  double bfloat16 = float32, float16 = float32;
#ifdef __AVX512BF16__
  bfloat16 = std::max(bfloat16, rate(dot_bfloat16, 2.0 * CHAINS * 32));
#endif
#ifdef __AVX512FP16__
  float16 = std::max(float16, rate(multiply_add_float16, 2.0 * CHAINS * 32));
#endif
#if defined(__AMX_BF16__) || defined(__AMX_FP16__)
  if (tiles()) {
#ifdef __AMX_BF16__
    bfloat16 = std::max(bfloat16, rate(tile_bfloat16, TILE_OPERATIONS));
#endif
#ifdef __AMX_FP16__
    float16 = std::max(float16, rate(tile_float16, TILE_OPERATIONS));
#endif
    _tile_release();
  }
#endif
  print("float64", multiply_add_rate<doubles, double>());
  print("float32", float32);
  print("bfloat16", bfloat16);
  print("float16", float16);
#endif
  return 0;
}
