// A module's variable, whose place the driver tells: judged as other memory, and none that nobody allocated.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@table count>=5
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
// EXPECT-NO-REPORT: *did not allocate*
#include "../Inputs/check.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#define OK(call)                                                                                   \
  if (CUresult status = (call)) {                                                                  \
    printf("%s: %d\n", #call, int(status));                                                        \
    exit(1);                                                                                       \
  }

static const char Code[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                           ".visible .global .align 4 .f32 table[16384];\n";

int main() {
  CUmodule module;
  CUdeviceptr table;
  size_t bytes = 0;
  CHECK(cudaFree(nullptr));
  OK(cuModuleLoadData(&module, Code));
  OK(cuModuleGetGlobal(&table, &bytes, module, "table"));
  std::vector<float> values(bytes / sizeof(float)), back(values.size());
  for (int step = 0; step < 6; ++step) {
#ifdef FIXED
    values[step] = float(step + 1);
#endif
    OK(cuMemcpyHtoD(table, values.data(), bytes)); // @table
#ifdef FIXED
    OK(cuMemcpyDtoH(back.data(), table, bytes));
#endif
  }
  OK(cuModuleUnload(module));
  printf("%zu\n", bytes);
}
