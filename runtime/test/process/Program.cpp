// A program that meets the runtime as instrumented ones do: by dlopen, through the table.
// SPDX-License-Identifier: Apache-2.0
//
// Program RUNTIME SCENARIO. Its "CUDA" are functions of its own; output is what the tests read.
#include "gpuinstr/abi.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <string>

namespace {

const gpuinstr_table *Table;

gpuinstr_site siteOf(unsigned op, const char *callee, unsigned line, uint32_t slots = 0,
                     unsigned resource = 0) {
  gpuinstr_site site = {};
  site.size = sizeof site;
  site.op = uint16_t(op);
  site.resource = uint16_t(resource);
  site.flags = GPUINSTR_SITE_CUDA_ERROR;
  site.slots = slots;
  site.line = line;
  site.id = line;
  site.file = "/src/program.cu";
  site.function = "main";
  site.callee = callee;
  site.variable = site.type = site.ignore = "";
  return site;
}

constexpr uint32_t CopySlots = (1u << GPUINSTR_SLOT_DST) | (1u << GPUINSTR_SLOT_SRC) |
                               (1u << GPUINSTR_SLOT_BYTES) | (1u << GPUINSTR_SLOT_KIND);
const char *const CopyArguments[] = {"d_x", "h_x", "bytes", "kind"};

gpuinstr_site copySite() {
  gpuinstr_site site = siteOf(GPUINSTR_OP_COPY, "cudaMemcpy", 10, CopySlots);
  site.variable = "d_x";
  site.arguments = CopyArguments;
  site.num_arguments = 4;
  return site;
}

gpuinstr_site Copy = copySite();
gpuinstr_site Sync = siteOf(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 11);
gpuinstr_site Launch = siteOf(GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 12, 1u << GPUINSTR_SLOT_FUNC);
gpuinstr_site Stub = siteOf(GPUINSTR_OP_LAUNCH, "saxpy<float>", 13);

void call(gpuinstr_site &site, uint64_t bytes = 0, int64_t result = 0, uint64_t kind = 1,
          const void *function = nullptr, const gpuinstr_site *caller = nullptr) {
  gpuinstr_frame frame = {};
  frame.site = &site;
  frame.callers[0] = caller;
  frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
  frame.slot[GPUINSTR_SLOT_KIND] = kind;
  frame.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(function);
  Table->enter(&frame);
  Table->leave(&frame, result);
}

/// Once in a process: a module that stays.
void registerKernels(const gpuinstr_kernel *kernels, unsigned number) {
  static gpuinstr_site unused = siteOf(GPUINSTR_OP_OTHER, "unused", 99);
  static gpuinstr_module module = {};
  module.size = sizeof module;
  module.abi_version = GPUINSTR_ABI_VERSION;
  module.num_sites = 1;
  module.sites = &unused;
  module.num_kernels = number;
  module.kernels = kernels;
  module.source = module.producer = module.defaults = "";
  module.image = &module;
  Table->register_module(&module);
}

/// What a timeline shows of each kind of call.
void namedCalls() {
  static const char first = 0, second = 0; // their addresses name the kernels
  static const gpuinstr_kernel kernels[] = {
      {sizeof(gpuinstr_kernel), 0, 1, 0, &first, "scale<double>", "k.cu", nullptr},
      {sizeof(gpuinstr_kernel), 0, 2, 0, &second, "sum", "k.cu", nullptr}};
  registerKernels(kernels, 2);
  static gpuinstr_site alloc =
      siteOf(GPUINSTR_OP_ALLOC, "cudaMalloc", 20,
             (1u << GPUINSTR_SLOT_DST) | (1u << GPUINSTR_SLOT_BYTES), GPUINSTR_RES_DEVICE);
  alloc.variable = "d_x";
  static gpuinstr_site wrapped = copySite();
  wrapped.flags |= GPUINSTR_SITE_CHARGE_CALLER;
  wrapped.id = 30;
  static gpuinstr_site line = siteOf(GPUINSTR_OP_CALLER, "upload", 31);
  call(alloc, 256, 2); // fails: there is no device here
  call(Copy, 64, 0, 2);
  call(Copy, 64, 0, 4); // by the pointers
  call(Stub);
  call(Launch, 0, 0, 0, &first);
  call(Launch, 0, 0, 0, &second);
  call(Launch, 0, 0, 0, &first);
  call(wrapped, 8, 0, 1, nullptr, &line);
}

/// One line that launches more kernels than a timeline's tool is told the names of.
void manyKernels() {
  static char stubs[80];
  static std::string names[80];
  static gpuinstr_kernel kernels[80];
  for (unsigned i = 0; i < 80; ++i) {
    names[i] = "kernel" + std::to_string(i);
    kernels[i] = {sizeof(gpuinstr_kernel), 0, 1, 0, &stubs[i], names[i].c_str(), "k.cu", nullptr};
  }
  registerKernels(kernels, 80);
  call(Sync);
  for (int round = 0; round < 2; ++round)
    for (const char &stub : stubs)
      call(Launch, 0, 0, 0, &stub);
}

/// Its destructor runs after main and after the handlers that were registered later.
struct Late {
  bool armed = false;
  ~Late() {
    if (armed)
      call(Sync);
  }
} LateObject;

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  auto *connect =
      library ? reinterpret_cast<gpuinstr_connect_fn *>(dlsym(library, GPUINSTR_CONNECT_SYMBOL))
              : nullptr;
  // "9 s ago" in ns, as though loading had taken so long; a plain number stands for itself.
  const char *before = std::getenv("GPUINSTR_TEST_LOADED");
  uint64_t beforeLoad = before ? std::strtoull(before, nullptr, 10) : 0;
  if (before && std::strstr(before, "ago")) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    beforeLoad = uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec) - beforeLoad;
  }
  Table = connect ? connect(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table), beforeLoad) : nullptr;
  if (!Table) {
    std::printf("no runtime: %s\n", dlerror());
    return 2;
  }
  if (!std::strcmp(argv[2], "ranges")) {
    Table->push_range("phase one");
    call(Copy, 4096);
    Table->push_range("phase two");
    call(Sync);
    Table->pop_range();
  } else if (!std::strcmp(argv[2], "names")) {
    namedCalls();
  } else if (!std::strcmp(argv[2], "kernels")) {
    manyKernels();
  } else if (!std::strcmp(argv[2], "late")) {
    call(Sync);
    LateObject.armed = true;
  } else if (!std::strcmp(argv[2], "nothing")) {
    Table->pause();
    Table->resume();
  } else if (!std::strcmp(argv[2], "close")) {
    call(Sync);
    dlclose(library); // frames and handlers point into it: it must stay
    call(Sync);
  }
  return 0;
}
