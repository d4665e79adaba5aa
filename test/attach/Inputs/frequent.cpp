// Launches all the time, from two lines; between them what is waste with or without that.
// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

static CUfunction function;
static bool fails = false;

static void check(CUresult result) {
  if (result != CUDA_SUCCESS)
    fails = true;
}

/// *p += 1
static void count(const unsigned *, const unsigned *, void **arguments) {
  *reinterpret_cast<unsigned *>(*static_cast<CUdeviceptr *>(arguments[0])) += 1;
}

static void load() {
  CUcontext context;
  CUmodule module;
  check(useFirstDevice(context));
  check(cuModuleLoadData(&module,
                         PTX_HEAD ".visible .entry count(.param .u64 p)\n{\n.reg .b64 %a;\n"
                                  ".reg .b32 %v;\nld.param.u64 %a, [p];\n"
                                  "ld.global.u32 %v, [%a];\nadd.u32 %v, %v, 1;\n"
                                  "st.global.u32 [%a], %v;\nret;\n}\n"));
  static const size_t sizes[] = {8};
  check(findKernel(module, function, "count", count, 1, sizes));
}

static void often(CUdeviceptr p) {
  void *arguments[] = {&p};
  check(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr)); // OFTEN
}

static void seldom(CUdeviceptr p) {
  void *arguments[] = {&p};
  check(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr)); // SELDOM
}

int main(int argc, char **argv) {
  const bool isTwin = argc > 2;
  const unsigned steps = unsigned(std::atoi(argv[1])), launches = 2000;
  load();
  std::vector<unsigned> weights(1 << 16);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = unsigned(i);
  CUdeviceptr counts = 0, sent = 0;
  check(cuMemAlloc(&counts, 4096));
  check(cuMemAlloc(&sent, weights.size() * sizeof(unsigned))); // LOST
  check(cuMemsetD8(counts, 0, 4096));
  unsigned all = 0;
  for (unsigned step = 0; step < steps; ++step) {
    if (isTwin)
      weights[step % weights.size()] += 1;
    check(cuMemcpyHtoD(sent, weights.data(), weights.size() * sizeof(unsigned))); // UPLOAD
    for (unsigned i = 0; i < launches; ++i)
      i % 4 ? often(counts) : seldom(counts);
    // Nothing but such a launch uses it: one of a thousand may be looked at, or none.
    CUdeviceptr once = 0;
    check(cuMemAlloc(&once, 4096));
    often(once);
    check(cuMemFree(once));
    check(cuMemcpyDtoH(&all, counts, sizeof all));
  }
  unsigned first = 0;
  check(cuMemcpyDtoH(&first, sent, sizeof first));
  check(cuMemFree(counts));
  if (isTwin)
    check(cuMemFree(sent)); // else: LEAK
  std::printf("%s %u\n", fails ? "failed" : "done", all - steps * launches);
  return 0;
}
