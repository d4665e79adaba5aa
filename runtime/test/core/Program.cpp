// A program that meets the runtime as instrumented ones do: by dlopen, through the table.
// SPDX-License-Identifier: Apache-2.0
//
// Program RUNTIME SCENARIO. Its "CUDA" are functions of its own; output is what the tests read.
#include "gpuinstr/abi.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

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

gpuinstr_site Copy = siteOf(GPUINSTR_OP_COPY, "cudaMemcpy", 10,
                            (1u << GPUINSTR_SLOT_DST) | (1u << GPUINSTR_SLOT_BYTES));
gpuinstr_site Sync = siteOf(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 11);

void call(gpuinstr_site &site, uint64_t bytes = 0, int64_t result = 0) {
  gpuinstr_frame frame = {};
  frame.site = &site;
  frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
  Table->enter(&frame);
  Table->leave(&frame, result);
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
  Table = connect ? connect(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table)) : nullptr;
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
