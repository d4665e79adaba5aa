// The address of a flag gets to the kernel that sets it by ways on which nobody looks at it: through
// variables whose place the program asked for, from memory into a variable, in graphs, out of managed
// memory, as a number that the stream writes.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -lcuda
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: dead-copy
// EXPECT-STDOUT: set 0
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <cuda.h>

struct Table {
  int *flag;
  long spare;
};
constexpr size_t Bytes = sizeof(Table);
__device__ Table g_table;

__global__ void setByTable(const Table *table, int on) {
  if (on)
    *table->flag = 1;
}
__global__ void setByVariable(int on) {
  if (on)
    *g_table.flag = 1;
}
__global__ void fillVariable(const Table *table) { g_table = *table; }
inline void nothing(unsigned, const Table *, int) {}
inline void nothingEither(unsigned, int) {}
inline void noFill(unsigned, const Table *) {}
SIMULATED(setByTable, nothing)
SIMULATED(setByVariable, nothingEither)
SIMULATED(fillVariable, noFill)

static int launches, set;

/// `way` brings the address of a new flag into memory; true: into the variable.
template <typename Way> static void use(Way way) {
  int *d_flag, flag;
  Table *d_table;
  CHECK(cudaMalloc(&d_flag, sizeof(int)));
  CHECK(cudaMalloc(&d_table, Bytes));
  Table *table;
  CHECK(cudaMallocHost(&table, Bytes));
  *table = {d_flag, 1};
  const bool inVariable = way(d_table, table);
  for (int round = 0; round < 8; ++round) {
    CHECK(cudaMemset(d_flag, 0, sizeof(int)));
    if (inVariable)
      setByVariable<<<1, 1>>>(launches < 0);
    else
      setByTable<<<1, 1>>>(d_table, launches < 0);
    CHECK(cudaGetLastError());
    ++launches;
    CHECK(cudaMemcpy(&flag, d_flag, sizeof(int), cudaMemcpyDeviceToHost));
    set += flag;
  }
  CHECK(cudaFree(d_flag));
  CHECK(cudaFree(d_table));
  CHECK(cudaFreeHost(table));
  CHECK(cudaDeviceReset()); // what is known of addresses is forgotten
}

template <typename Body> static void runGraph(Body body) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  body(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

static void *place() {
  void *address;
  CHECK(cudaGetSymbolAddress(&address, g_table));
  return address;
}

static void upload(Table *d_table, const Table *table) {
  Table local = *table;
  CHECK(cudaMemcpy(d_table, &local, Bytes, cudaMemcpyHostToDevice));
}

int main() {
  use([](Table *, Table *table) { // to where the variable lies
    upload(static_cast<Table *>(place()), table);
    return true;
  });
  use([](Table *, Table *table) { // ... out of pinned memory
    CHECK(cudaMemcpyAsync(place(), table, Bytes, cudaMemcpyHostToDevice, nullptr));
    CHECK(cudaStreamSynchronize(nullptr));
    return true;
  });
  use([](Table *d_table, Table *table) { // from memory into the variable: by a copy
    upload(d_table, table);
    CHECK(cudaMemcpyToSymbol(g_table, d_table, Bytes, 0, cudaMemcpyDeviceToDevice));
    return true;
  });
  use([](Table *d_table, Table *table) {
    upload(d_table, table);
    CHECK(cudaMemcpy(place(), d_table, Bytes, cudaMemcpyDeviceToDevice));
    return true;
  });
  use([](Table *d_table, Table *table) { // ... by a kernel
    upload(d_table, table);
    fillVariable<<<1, 1>>>(d_table);
    CHECK(cudaGetLastError());
    return true;
  });
  use([](Table *d_table, Table *table) { // in a graph
    runGraph([&](cudaStream_t stream) {
      CHECK(cudaMemcpyAsync(d_table, table, Bytes, cudaMemcpyHostToDevice, stream));
    });
    return false;
  });
  use([](Table *, Table *table) {
    runGraph([&](cudaStream_t stream) {
      CHECK(cudaMemcpyToSymbolAsync(g_table, table, Bytes, 0, cudaMemcpyHostToDevice, stream));
    });
    return true;
  });
  use([](Table *d_table, Table *table) {
    upload(d_table, table);
    runGraph([&](cudaStream_t stream) {
      fillVariable<<<1, 1, 0, stream>>>(d_table);
      CHECK(cudaGetLastError());
    });
    return true;
  });
  use([](Table *d_table, Table *table) { // out of managed memory
    Table *managed;
    CHECK(cudaMallocManaged(&managed, Bytes));
    *managed = *table;
    CHECK(cudaMemcpy(d_table, managed, Bytes, cudaMemcpyDefault));
    CHECK(cudaFree(managed));
    return false;
  });
  use([](Table *d_table, Table *table) { // as a number
    const auto value = reinterpret_cast<cuuint64_t>(table->flag);
    if (cuStreamWriteValue64(nullptr, reinterpret_cast<CUdeviceptr>(d_table), value, 0))
      exit(1);
    CHECK(cudaStreamSynchronize(nullptr));
    return false;
  });
  printf("set %d\n", set);
}
