// What a launch costs in the middle of a driver: the caches are full of other things.
// SPDX-License-Identifier: Apache-2.0
//
// usage: gpuinstr-bench-coldpath [ROUNDS]
//   Between the calls a stand-in for the driver walks code and data of a few hundred KB, in an
//   order that its own branches depend on. Rounds of launches with and without enter and leave
//   alternate; prints the median difference in ns, by what is called, with its 95 % interval.
#include "../../../tools/bench/Statistics.h"
#include "gpuinstr/abi.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <time.h>
#include <utility>

using namespace gpuinstr::bench;

namespace {

constexpr unsigned Words = 24 * 1024;
alignas(64) uint64_t Data[Words];

/// About 200 bytes of code each, four lines of data, three branches that depend on them.
template <unsigned N> __attribute__((noinline)) uint64_t step(uint64_t x) {
  constexpr unsigned At = N * 2654435761u;
  uint64_t a = Data[(At >> 3) % Words], b = Data[(At >> 9) % Words];
  if ((a ^ x) & (1u << N % 7))
    x += a * (N + 3);
  else
    x ^= a + N;
  Data[(At >> 14) % Words] = x;
  if (b > a + N)
    x = (x << 7 | x >> 57) + b;
  if ((x + N) & 64)
    x -= Data[(At >> 5) % Words] ^ N;
  return x;
}

uint64_t Sum = 1;
template <unsigned First, unsigned... N>
__attribute__((noinline)) void walk(std::integer_sequence<unsigned, N...>) {
  uint64_t x = Sum;
  ((x = step<First + N * 7 % sizeof...(N)>(x)), ...);
  Sum = x & 0xff; // much the same way each time, as a driver that launches one kernel goes
}

/// __cudaPopCallConfiguration is small, cudaLaunchKernel large.
void popConfiguration() { walk<0>(std::make_integer_sequence<unsigned, 10>()); }
void launchKernel() { walk<10>(std::make_integer_sequence<unsigned, 390>()); }

const gpuinstr_table *connect() {
  setenv("GPUINSTR_OPTIONS", "report=off", 0);
  const char *path = std::getenv("GPUINSTR_RUNTIME");
  dlopen(GPUINSTR_BENCH_CUDA, RTLD_NOW);
  void *library = dlopen(path ? path : GPUINSTR_RT_PATH, RTLD_NOW);
  auto *fn = library
                 ? reinterpret_cast<gpuinstr_connect_fn *>(dlsym(library, GPUINSTR_CONNECT_SYMBOL))
                 : nullptr;
  const gpuinstr_table *table = fn ? fn(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table)) : nullptr;
  if (!table) {
    std::fprintf(stderr, "no runtime: %s\n", dlerror());
    std::exit(2);
  }
  return table;
}

gpuinstr_site site(unsigned op, unsigned line, uint32_t flags, uint32_t slots) {
  gpuinstr_site s = {};
  s.size = sizeof s;
  s.op = uint16_t(op);
  s.flags = flags;
  s.slots = slots;
  s.line = line;
  s.id = line;
  s.file = "bench.cu";
  s.function = s.callee = s.variable = s.type = s.ignore = "";
  return s;
}

constexpr uint32_t bit(unsigned slot) { return 1u << slot; }
gpuinstr_site Outer = site(GPUINSTR_OP_LAUNCH, 2, GPUINSTR_SITE_ASYNC, 0);
gpuinstr_site Inner =
    site(GPUINSTR_OP_LAUNCH, 3, GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER,
         bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM) | bit(GPUINSTR_SLOT_ARGS) |
             bit(GPUINSTR_SLOT_GRID_XY) | bit(GPUINSTR_SLOT_GRID_Z) | bit(GPUINSTR_SLOT_BLOCK_XY) |
             bit(GPUINSTR_SLOT_BLOCK_Z) | bit(GPUINSTR_SLOT_SHARED));
gpuinstr_site Sync = site(GPUINSTR_OP_SYNC_DEVICE, 5, GPUINSTR_SITE_CUDA_ERROR, 0);
gpuinstr_site Query = site(GPUINSTR_OP_OTHER, 4, GPUINSTR_SITE_CUDA_ERROR, 0);

void plainLaunch() {
  popConfiguration();
  launchKernel();
}

const char Stub = 0; ///< names the kernel, which has no parameters

void registerKernel(const gpuinstr_table *table) {
  static gpuinstr_kernel kernel = {};
  kernel.size = sizeof kernel;
  kernel.stub = &Stub;
  kernel.name = "empty";
  kernel.file = "bench.cu";
  static gpuinstr_module module = {};
  module.size = sizeof module;
  module.num_sites = 1;
  module.sites = &Outer;
  module.num_kernels = 1;
  module.kernels = &kernel;
  module.source = module.producer = module.defaults = "";
  table->register_module(&module);
}

/// k<<<>>>(): the user's frame around the stub, the stub's around cudaLaunchKernel.
void launch(const gpuinstr_table *table) {
  gpuinstr_frame user, stub;
  user.callers[0] = stub.callers[0] = nullptr;
  user.site = &Outer;
  table->enter(&user);
  popConfiguration();
  stub.site = &Inner;
  stub.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(&Stub);
  for (unsigned i :
       {GPUINSTR_SLOT_STREAM, GPUINSTR_SLOT_ARGS, GPUINSTR_SLOT_GRID_XY, GPUINSTR_SLOT_GRID_Z,
        GPUINSTR_SLOT_BLOCK_XY, GPUINSTR_SLOT_BLOCK_Z, GPUINSTR_SLOT_SHARED})
    stub.slot[i] = 0;
  table->enter(&stub);
  launchKernel();
  table->leave(&stub, 0);
  table->leave(&user, 0);
}

void query(const gpuinstr_table *table) {
  gpuinstr_frame user;
  user.callers[0] = nullptr;
  user.site = &Query;
  table->enter(&user);
  plainLaunch();
  table->leave(&user, 0);
}

uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

constexpr unsigned Calls = 20, Chunks = 40;

/// Chunks so short that most of them meet no interrupt; what else runs only lengthens them.
void compare(const char *name, unsigned rounds, const std::function<void()> &with) {
  const std::function<void()> without = plainLaunch;
  std::vector<double> plain, differences;
  for (unsigned i = 0; i < rounds + 5; ++i) {
    std::vector<double> times[2];
    for (unsigned chunk = 0; chunk < 2 * Chunks; ++chunk) {
      const std::function<void()> &call = chunk % 2 ? with : without;
      call();
      uint64_t start = now();
      for (unsigned j = 0; j < Calls; ++j)
        call();
      times[chunk % 2].push_back(double(now() - start) / Calls);
    }
    if (i < 5)
      continue;
    for (auto &t : times)
      std::nth_element(t.begin(), t.begin() + Chunks / 5, t.end());
    plain.push_back(times[0][Chunks / 5]);
    differences.push_back(times[1][Chunks / 5] - times[0][Chunks / 5]);
  }
  Interval d = medianInterval(differences);
  std::printf("%s: %.1f ns [%.1f, %.1f] (95 %%, %u rounds; %.0f ns without)\n", name, d.median,
              d.low, d.high, rounds, medianInterval(plain).median);
}

} // namespace

int main(int argc, char **argv) {
  unsigned rounds = argc > 1 ? unsigned(std::atoi(argv[1])) : 200;
  for (unsigned i = 0; i < Words; ++i)
    Data[i] = i * 0x9e3779b97f4a7c15u;
  const gpuinstr_table *table = connect();
  registerKernel(table);
  gpuinstr_frame frame = {};
  frame.site = &Sync; // as programs do before: options are looked at, CUDA is up
  for (int i = 0; i < 3; ++i) {
    table->enter(&frame);
    table->leave(&frame, 0);
  }
  compare("launch", rounds, [&] { launch(table); });
  compare("other call", rounds, [&] { query(table); });
  compare("nothing", rounds, plainLaunch);
}
