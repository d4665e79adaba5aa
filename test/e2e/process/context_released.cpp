// The primary context goes with the last cuDevicePrimaryCtxRelease, and what lies in it with the
// context; the next one has its handle. The same bytes then go to another buffer: nobody may compare it
// with the first.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT-NO: duplicate-buffer
// EXPECT-STDOUT: right 6
#include <cstdio>
#include <cuda.h>
#include <vector>

#define OK(call)                                                                                   \
  if (CUresult status = (call))                                                                    \
  printf("%s: %d\n", #call, int(status))

constexpr size_t Bytes = 1 << 18;

int main() {
  std::vector<char> table(Bytes), other(Bytes, 1), back(Bytes);
  for (size_t i = 0; i < Bytes; ++i)
    table[i] = char(i * 7 + 1);
  int right = 0;
  OK(cuInit(0));
  for (int round = 0; round < 6; ++round) {
    CUcontext context;
    CUdeviceptr d_other, d_between, d_table;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&d_other, Bytes));
    OK(cuMemAlloc(&d_between, size_t(round + 1) << 20)); // the table lies elsewhere each time
    OK(cuMemAlloc(&d_table, Bytes));
    for (int i = 0; i < 8; ++i)
      OK(cuMemcpyHtoD(d_other, other.data(), Bytes));
    OK(cuMemcpyHtoD(d_table, table.data(), Bytes));
    OK(cuMemcpyDtoH(back.data(), d_table, Bytes));
    right += back == table;
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSetCurrent(nullptr));
  }
  printf("right %d\n", right);
}
