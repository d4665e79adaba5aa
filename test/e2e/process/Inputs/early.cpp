// A library whose global object allocates before the program's own initialisers run.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

struct Table {
  Table() { failed = cudaMalloc(&data, 4096) != cudaSuccess; } // @alloc
  void *data = nullptr;
  bool failed;
};

static Table *table = new Table; // @table

int tableState() {
  int state = table->failed;
  table->data = nullptr;
  return state;
}
