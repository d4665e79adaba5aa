// How the benchmarks call the runtime: sites, frames and the order of calls as the plugin makes
// them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_BENCH_BENCHCALLS_H
#define GPUINSTR_TEST_BENCH_BENCHCALLS_H

#include "FakeCuda.h"
#include "gpuinstr/abi.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>
#include <utility>

namespace gpuinstr::bench {

/// The stand-in for libcuda, to be chosen before anything is called: with events or without.
inline const char *FakeCuda = GPUINSTR_BENCH_CUDA;
inline void *openFakeCuda() { return dlopen(FakeCuda, RTLD_NOW); }

/// Of the runtime that GPUINSTR_RUNTIME names. The stand-in for libcuda is found by its soname
/// where CUDA itself is not loaded.
inline const gpuinstr_table *connect() {
  setenv("GPUINSTR_OPTIONS", "report=off", 0);
  const char *path = std::getenv("GPUINSTR_RUNTIME");
  openFakeCuda();
  void *library = dlopen(path ? path : GPUINSTR_RT_PATH, RTLD_NOW);
  auto *fn = library
                 ? reinterpret_cast<gpuinstr_connect_fn *>(dlsym(library, GPUINSTR_CONNECT_SYMBOL))
                 : nullptr;
  const gpuinstr_table *table = fn ? fn(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table), 0) : nullptr;
  if (!table) {
    std::fprintf(stderr, "no runtime: %s\n", dlerror());
    std::exit(2);
  }
  return table;
}

/// What the stand-in says of CapturedStream from now on.
inline void setCapturing(bool capturing) {
  static auto *set = reinterpret_cast<void (*)(bool)>(dlsym(openFakeCuda(), SetCapturing));
  set(capturing);
}

inline gpuinstr_site makeSite(unsigned op, unsigned line, uint32_t flags, uint32_t slots,
                              unsigned resource = 0) {
  gpuinstr_site s = {};
  s.size = sizeof s;
  s.op = uint16_t(op);
  s.resource = uint16_t(resource);
  s.flags = flags;
  s.slots = slots;
  s.line = line;
  s.id = line;
  s.file = "bench.cu";
  s.function = s.callee = s.variable = s.type = s.ignore = "";
  return s;
}

constexpr uint32_t bit(unsigned slot) { return 1u << slot; }

/// The call of cudaLaunchKernel in a kernel's stub.
inline gpuinstr_site makeInnerLaunch(unsigned line) {
  return makeSite(GPUINSTR_OP_LAUNCH, line, GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER,
                  bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM) | bit(GPUINSTR_SLOT_ARGS) |
                      bit(GPUINSTR_SLOT_GRID_XY) | bit(GPUINSTR_SLOT_GRID_Z) |
                      bit(GPUINSTR_SLOT_BLOCK_XY) | bit(GPUINSTR_SLOT_BLOCK_Z) |
                      bit(GPUINSTR_SLOT_SHARED));
}

/// The driver's launch function of a program that is attached to: nothing stands around it.
inline gpuinstr_site makeRootLaunch(unsigned line) {
  gpuinstr_site site = makeInnerLaunch(line);
  site.flags = GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER | GPUINSTR_SITE_ASYNC;
  return site;
}

/// A kernel without parameters, and one that reads a buffer, updates another and gets a number.
inline const char EmptyStub = 0, RelaxStub = 0;

/// A module of one site and both.
inline void registerKernels(const gpuinstr_table *table, gpuinstr_site *site) {
  static gpuinstr_param params[3] = {};
  params[0].bytes = params[1].bytes = 8;
  params[0].pointer = params[1].pointer = 1;
  params[0].access = GPUINSTR_ACCESS_READ;
  params[1].access = GPUINSTR_ACCESS_READ | GPUINSTR_ACCESS_WRITE;
  params[2].bytes = 4;
  for (gpuinstr_param &p : params)
    p.name = p.type = "";
  static gpuinstr_kernel kernels[2] = {};
  for (gpuinstr_kernel &kernel : kernels) {
    kernel.size = sizeof kernel;
    kernel.file = "bench.cu";
    kernel.flags = GPUINSTR_KERNEL_ENDS | GPUINSTR_KERNEL_KEEPS_GLOBALS; // as its body shows
  }
  kernels[0].stub = &EmptyStub;
  kernels[0].name = "empty";
  kernels[1].stub = &RelaxStub;
  kernels[1].name = "relax";
  kernels[1].num_params = 3;
  kernels[1].params = params;
  static gpuinstr_module module = {};
  module.size = sizeof module;
  module.num_sites = 1;
  module.sites = site;
  module.num_kernels = 2;
  module.kernels = kernels;
  module.source = module.producer = module.defaults = "";
  table->register_module(&module);
}

/// One call with an operand list, around `driver`. Without a table: `driver` alone.
inline void call(const gpuinstr_table *table, gpuinstr_site &site,
                 std::initializer_list<std::pair<unsigned, uint64_t>> operands, void (*driver)()) {
  gpuinstr_frame user;
  user.callers[0] = nullptr;
  user.site = &site;
  for (auto &[slot, value] : operands)
    user.slot[slot] = value;
  if (table)
    table->enter(&user);
  driver();
  if (table)
    table->leave(&user, 0);
}

/// k<<<>>>() whose stub the compiler has inlined.
inline void launch(const gpuinstr_table *table, gpuinstr_site &outer, gpuinstr_site &inner,
                   const void *kernel, void **arguments, uint64_t stream,
                   void (*popConfiguration)(), void (*launchKernel)()) {
  gpuinstr_frame user, stub;
  user.callers[0] = stub.callers[0] = nullptr;
  user.site = &outer;
  popConfiguration();
  stub.site = &inner;
  for (unsigned i : {GPUINSTR_SLOT_GRID_XY, GPUINSTR_SLOT_GRID_Z, GPUINSTR_SLOT_BLOCK_XY,
                     GPUINSTR_SLOT_BLOCK_Z, GPUINSTR_SLOT_SHARED})
    stub.slot[i] = 0;
  stub.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(kernel);
  stub.slot[GPUINSTR_SLOT_STREAM] = stream;
  stub.slot[GPUINSTR_SLOT_ARGS] = reinterpret_cast<uint64_t>(arguments);
  table->enter_launch(&user, &stub);
  launchKernel();
  table->leave_launch(&user, &stub, 0);
}

} // namespace gpuinstr::bench

#endif
