// The address of a flag lies in a table in memory that the program mapped itself; the table's
// address reaches the kernel as a number: on its own, in a struct, in a closure.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include "Inputs/physical.h"

struct Table {
  int *flag;
  long spare;
};
struct Numbers {
  long rounds;
  unsigned long long table;
};

__global__ void setByNumber(unsigned long long table, int on) {
  if (on)
    *reinterpret_cast<const Table *>(table)->flag = 1;
}
__global__ void setByStruct(Numbers numbers, int on) {
  if (on)
    *reinterpret_cast<const Table *>(numbers.table)->flag = 1;
}
inline void noNumber(unsigned, unsigned long long, int) {}
inline void noStruct(unsigned, Numbers, int) {}
SIMULATED(setByNumber, noNumber)
SIMULATED(setByStruct, noStruct)

template <class Launch> void zeroAndLook(const char *name, Launch launch) {
  int *d_flag, flag = 0, set = 0;
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  const Physical memory;
  const CUdeviceptr place = memory.reserve();
  memory.map(place);
  const Table table = {d_flag, 1};
  OK(cuMemcpyHtoD(place, &table, sizeof(table)));
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));
    launch(place);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&flag, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
    set += flag;
  }
  printf("%s: set %d\n", name, set);
  CHECK(cudaFree(d_flag));
  OK(cuMemUnmap(place, memory.bytes));
  OK(cuMemAddressFree(place, memory.bytes));
  memory.release();
}

int main(int argc, char **) {
  const int on = argc - 1;
  zeroAndLook("number", [on](CUdeviceptr table) { setByNumber<<<1, 1>>>(table, on); });
  zeroAndLook("struct", [on](CUdeviceptr table) { setByStruct<<<1, 1>>>({5, table}, on); });
}
