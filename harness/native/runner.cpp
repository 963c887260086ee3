// Loads one candidate and calls it when told to. No Python, no reference, no expected output lives here:
// the judge fills the shared arena before each call and reads it after, so this process is trusted with
// nothing but its clock, and that one the judge compares with its own.
//
// usage: runner SOCKET_FD ARENA_FD. The judge asks it to hold itself (HOLD) before it loads anything.
// Messages are harness/protocol.py's, in the machine's byte order.
#include "ks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/personality.h>
#include <sys/prctl.h>
#endif
#include "contain.h"
#include "gate.h"

#include <string>
#include <vector>

namespace {

enum Op : uint32_t { LOAD = 1, MAP = 2, RUN = 3, RUN_MANY = 4, HOLD = 5 };
enum Failure : int32_t { CANNOT_LOAD = -1, NO_SYMBOL = -2, WRONG_ABI = -3, CANNOT_MAP = -4 };

struct Request {
  uint32_t op;
  uint32_t length;
};

struct Reply {
  uint32_t op;
  int32_t status;
  uint64_t token;
  uint64_t ns;
  uint64_t value;
  uint32_t text_length;
  uint32_t reserved;
};

struct MapHeader {
  uint64_t arena_bytes;
  uint64_t workspace_offset;
  uint64_t workspace_bytes;
  uint64_t tensors;
};

using RunFunction = int (*)(const ks_tensor *, int, const ks_params *, void *, size_t, void *);
using WorkspaceFunction = size_t (*)(const ks_params *);
using VersionFunction = int (*)();

int channel = -1;

constexpr int LOST_CHANNEL = 71;  // harness/protocol.py knows it too

[[noreturn]] void leave() { _exit(LOST_CHANNEL); }

void read_all(void *data, size_t bytes) {
  auto *at = static_cast<char *>(data);
  while (bytes) {
    const long n = gate::receive(channel, at, bytes);
    if (n == -EINTR) continue;
    if (n <= 0) leave();  // the judge is gone
    at += n;
    bytes -= static_cast<size_t>(n);
  }
}

void write_all(const void *data, size_t bytes) {
  auto *at = static_cast<const char *>(data);
  while (bytes) {
    const long n = gate::send(channel, at, bytes);
    if (n == -EINTR) continue;
    if (n <= 0) leave();
    at += n;
    bytes -= static_cast<size_t>(n);
  }
}

// The token ends a request. It stays in the channel until there is something to say, so that it is nowhere in
// this process while the candidate runs.
void answer(const Request &request, int32_t status, uint64_t ns, uint64_t value, const std::string &text = {}) {
  uint64_t token;
  read_all(&token, sizeof token);
  Reply reply{request.op, status, token, ns, value, static_cast<uint32_t>(text.size()), 0};
  write_all(&reply, sizeof reply);
  write_all(text.data(), text.size());
}

uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// How often the scheduler took the core away from this thread.
uint64_t preemptions() {
#ifdef RUSAGE_THREAD
  int who = RUSAGE_THREAD;
#else
  int who = RUSAGE_SELF;
#endif
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<uint64_t>(usage.ru_nivcsw);
}

// The same addresses in every runner, so that layout cannot favour a side; where it is refused, go on.
void fix_layout(char **argv) {
#ifdef __linux__
  int persona = personality(0xffffffff);
  if (persona >= 0 && !(persona & ADDR_NO_RANDOMIZE) && !getenv("KS_LAYOUT")) {
    setenv("KS_LAYOUT", "1", 1);
    if (personality(persona | ADDR_NO_RANDOMIZE) >= 0) execv("/proc/self/exe", argv);
  }
  unsetenv("KS_LAYOUT");
#else
  (void)argv;
#endif
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  fix_layout(argv);
  channel = atoi(argv[1]);
  int arena_fd = atoi(argv[2]);
  fcntl(channel, F_SETFD, FD_CLOEXEC);
  fcntl(arena_fd, F_SETFD, FD_CLOEXEC);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
  signal(SIGPIPE, SIG_IGN);

  bool held = false;
  RunFunction run = nullptr;
  std::vector<char> params, mutable_params;
  std::vector<ks_tensor> tensors, mutable_tensors;
  char *arena = nullptr;
  MapHeader map{};

  for (;;) {
    Request request;
    read_all(&request, sizeof request);
    std::vector<char> payload(request.length);
    read_all(payload.data(), payload.size());

    if (request.op == HOLD) {  // before any code of the candidate runs
      held = !payload.empty();
      answer(request, 0, 0, held ? contain(std::string(payload.begin(), payload.end()), channel) : 0);
    } else if (request.op == LOAD) {
      uint32_t path_bytes;
      memcpy(&path_bytes, payload.data(), sizeof path_bytes);
      std::string path(payload.data() + sizeof path_bytes, path_bytes);
      params.assign(payload.begin() + sizeof path_bytes + path_bytes, payload.end());
      void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!library) {
        const char *why = dlerror();
        answer(request, CANNOT_LOAD, 0, 0, why ? why : "unknown reason");
        continue;
      }
      if (held) contain_calls();  // the judge counts the filters from outside
      auto version = reinterpret_cast<VersionFunction>(dlsym(library, "ks_abi_version"));
      auto workspace = reinterpret_cast<WorkspaceFunction>(dlsym(library, "ks_workspace_bytes"));
      run = reinterpret_cast<RunFunction>(dlsym(library, "ks_run"));
      if (!version || !workspace || !run) {
        answer(request, NO_SYMBOL, 0, 0, !version ? "ks_abi_version" : !workspace ? "ks_workspace_bytes" : "ks_run");
        continue;
      }
      int abi = version();
      if (abi != KS_ABI_VERSION) {
        answer(request, WRONG_ABI, 0, 0, std::to_string(abi));
        continue;
      }
      mutable_params = params;
      size_t wanted = workspace(reinterpret_cast<const ks_params *>(mutable_params.data()));
      answer(request, 0, 0, wanted);
    } else if (request.op == MAP) {
      memcpy(&map, payload.data(), sizeof map);
      int flags = MAP_SHARED;
#ifdef MAP_POPULATE
      flags |= MAP_POPULATE;
#endif
      void *at = mmap(nullptr, map.arena_bytes, PROT_READ | PROT_WRITE, flags, arena_fd, 0);
      if (at == MAP_FAILED) {
        answer(request, CANNOT_MAP, 0, 0, strerror(errno));
        continue;
      }
      close(arena_fd);
      arena = static_cast<char *>(at);
      tensors.resize(map.tensors);
      memcpy(tensors.data(), payload.data() + sizeof map, map.tensors * sizeof(ks_tensor));
      for (auto &tensor : tensors) tensor.data = arena + reinterpret_cast<uintptr_t>(tensor.data);
      answer(request, 0, 0, 0);
    } else if ((request.op == RUN || request.op == RUN_MANY) && run && arena) {
      uint32_t calls = 1;
      if (request.op == RUN_MANY) memcpy(&calls, payload.data(), sizeof calls);
      void *workspace = map.workspace_bytes ? arena + map.workspace_offset : nullptr;
      int status = KS_OK;
      uint64_t ns = 0, before = preemptions();
      for (uint32_t call = 0; call < calls && status == KS_OK; ++call) {
        mutable_params = params;  // a candidate that scribbles on its arguments does so on copies
        mutable_tensors = tensors;
        uint64_t start = now();
        status = run(mutable_tensors.data(), static_cast<int>(mutable_tensors.size()),
                     reinterpret_cast<const ks_params *>(mutable_params.data()), workspace, map.workspace_bytes,
                     nullptr);
        uint64_t end = now();
        ns += end - start;
      }
      answer(request, status, ns, preemptions() - before);
    } else {
      leave();
    }
  }
}
