// The call sites of random programs, each in a line of its own: AT says to the oracle which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels.h"

#include <cuda_runtime.h>

namespace site {

#define AT(number, call)                                                                           \
  case number:                                                                                     \
    oracle::mark(__LINE__);                                                                        \
    status = call;                                                                                 \
    break
/// A launch: it has no result of its own.
#define RUN(number, launch)                                                                        \
  case number:                                                                                     \
    launch;                                                                                        \
    status = cudaGetLastError();                                                                   \
    break
#define SITES(count, of)                                                                           \
  cudaError_t status = cudaSuccess;                                                                \
  switch ((of) % (count)) {
#define END                                                                                        \
  }                                                                                                \
  oracle::mark(0);                                                                                 \
  return status;

constexpr auto Up = cudaMemcpyHostToDevice, Down = cudaMemcpyDeviceToHost,
               Within = cudaMemcpyDeviceToDevice, Any = cudaMemcpyDefault;

// clang-format off
inline cudaError_t up(unsigned which, void *to, const void *from, size_t n) {
  SITES(8, which)
    AT(0, cudaMemcpy(to, from, n, Up));
    AT(1, cudaMemcpy(to, from, n, Up));
    AT(2, cudaMemcpy(to, from, n, Up));
    AT(3, cudaMemcpy(to, from, n, Up));
    AT(4, cudaMemcpy(to, from, n, Any));
    AT(5, cudaMemcpy(to, from, n, Any));
    AT(6, cudaMemcpy2D(to, n / 8, from, n / 8, n / 16, 8, Up));
    AT(7, cudaMemcpy2D(to, n / 4, from, n / 4, n / 4, 4, Up));
  END
}

inline cudaError_t upAsync(unsigned which, void *to, const void *from, size_t n, cudaStream_t s) {
  SITES(8, which)
    AT(0, cudaMemcpyAsync(to, from, n, Up, s));
    AT(1, cudaMemcpyAsync(to, from, n, Up, s));
    AT(2, cudaMemcpyAsync(to, from, n, Up, s));
    AT(3, cudaMemcpyAsync(to, from, n, Up, s));
    AT(4, cudaMemcpyAsync(to, from, n, Any, s));
    AT(5, cudaMemcpyAsync(to, from, n, Any, s));
    AT(6, cudaMemcpy2DAsync(to, n / 8, from, n / 8, n / 16, 8, Up, s));
    AT(7, cudaMemcpy2DAsync(to, n / 4, from, n / 4, n / 4, 4, Up, s));
  END
}

inline cudaError_t down(unsigned which, void *to, const void *from, size_t n) {
  SITES(6, which)
    AT(0, cudaMemcpy(to, from, n, Down));
    AT(1, cudaMemcpy(to, from, n, Down));
    AT(2, cudaMemcpy(to, from, n, Down));
    AT(3, cudaMemcpy(to, from, n, Down));
    AT(4, cudaMemcpy(to, from, n, Any));
    AT(5, cudaMemcpy2D(to, n / 8, from, n / 8, n / 16, 8, Down));
  END
}

inline cudaError_t downAsync(unsigned which, void *to, const void *from, size_t n, cudaStream_t s) {
  SITES(6, which)
    AT(0, cudaMemcpyAsync(to, from, n, Down, s));
    AT(1, cudaMemcpyAsync(to, from, n, Down, s));
    AT(2, cudaMemcpyAsync(to, from, n, Down, s));
    AT(3, cudaMemcpyAsync(to, from, n, Down, s));
    AT(4, cudaMemcpyAsync(to, from, n, Any, s));
    AT(5, cudaMemcpy2DAsync(to, n / 8, from, n / 8, n / 16, 8, Down, s));
  END
}

inline cudaError_t within(unsigned which, void *to, const void *from, size_t n, cudaStream_t s) {
  SITES(6, which)
    AT(0, cudaMemcpy(to, from, n, Within));
    AT(1, cudaMemcpy(to, from, n, Within));
    AT(2, cudaMemcpyAsync(to, from, n, Within, s));
    AT(3, cudaMemcpyAsync(to, from, n, Within, s));
    AT(4, cudaMemcpyAsync(to, from, n, Any, s));
    AT(5, cudaMemcpy2DAsync(to, n / 8, from, n / 8, n / 16, 8, Within, s));
  END
}

inline cudaError_t set(unsigned which, void *to, int value, size_t n) {
  SITES(4, which)
    AT(0, cudaMemset(to, value, n));
    AT(1, cudaMemset(to, value, n));
    AT(2, cudaMemset(to, value, n));
    AT(3, cudaMemset2D(to, n / 8, value, n / 16, 8));
  END
}

inline cudaError_t setAsync(unsigned which, void *to, int value, size_t n, cudaStream_t s) {
  SITES(4, which)
    AT(0, cudaMemsetAsync(to, value, n, s));
    AT(1, cudaMemsetAsync(to, value, n, s));
    AT(2, cudaMemsetAsync(to, value, n, s));
    AT(3, cudaMemset2DAsync(to, n / 8, value, n / 16, 8, s));
  END
}

inline cudaError_t batch(unsigned which, void **to, const void **from, size_t *sizes, size_t count,
                         cudaStream_t s) {
  cudaMemcpyAttributes how = {};
  size_t first = 0;
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  SITES(2, which)
    AT(0, cudaMemcpyBatchAsync(to, from, sizes, count, &how, &first, 1, s));
    AT(1, cudaMemcpyBatchAsync(to, from, sizes, count, &how, &first, 1, s));
  END
}

inline cudaError_t array(unsigned which, cudaArray_t array, void *memory, size_t width, size_t rows) {
  SITES(4, which)
    AT(0, cudaMemcpy2DToArray(array, 0, 0, memory, width, width, rows, Up));
    AT(1, cudaMemcpy2DToArray(array, 0, 0, memory, width, width, rows, Up));
    AT(2, cudaMemcpy2DFromArray(memory, width, array, 0, 0, width, rows, Down));
    AT(3, cudaMemcpy2DFromArray(memory, width, array, 0, 0, width, rows, Down));
  END
}

#if CARRIED
inline cudaError_t symbol(unsigned which, void *memory, size_t n, cudaStream_t s) {
  SITES(6, which)
    AT(0, cudaMemcpyToSymbol(d_variable, memory, n));
    AT(1, cudaMemcpyToSymbol(d_variable, memory, n));
    AT(2, cudaMemcpyToSymbolAsync(d_variable, memory, n, 0, Up, s));
    AT(3, cudaMemcpyToSymbol(c_variable, memory, n));
    AT(4, cudaMemcpyToSymbolAsync(c_variable, memory, n, 0, Up, s));
    AT(5, cudaMemcpyFromSymbol(memory, d_variable, n));
  END
}
#endif

inline cudaError_t node(unsigned which, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                        cudaGraphNode_t *made, void *to, const void *from, size_t n) {
  SITES(4, which)
    AT(0, cudaGraphAddMemcpyNode1D(made, graph, after, count, to, from, n, Any));
    AT(1, cudaGraphAddMemcpyNode1D(made, graph, after, count, to, from, n, Any));
    AT(2, cudaGraphAddMemcpyNode1D(made, graph, after, count, to, from, n, Any));
    AT(3, cudaGraphAddMemcpyNode1D(made, graph, after, count, to, from, n, Any));
  END
}

/// Blocking ones alone: a kernel may not be left behind in memory that is gone.
#define MADE(number, call)                                                                         \
  case number:                                                                                     \
    status = call;                                                                                 \
    if (status == cudaSuccess)                                                                     \
      oracle::made(*memory, __LINE__);                                                             \
    break
inline cudaError_t allocate(unsigned which, char **memory, size_t n) {
  SITES(4, which)
    MADE(0, cudaMalloc(memory, n));
    MADE(1, cudaMalloc(memory, n));
    MADE(2, cudaMalloc(memory, n));
    MADE(3, cudaMalloc(memory, n));
  END
}
inline cudaError_t allocateManaged(unsigned which, char **memory, size_t n) {
  SITES(1, which)
    MADE(0, cudaMallocManaged(memory, n));
  END
}
inline cudaError_t allocateAsync(unsigned which, char **memory, size_t n, cudaStream_t s) {
  SITES(2, which)
    MADE(0, cudaMallocAsync(memory, n, s));
    MADE(1, cudaMallocAsync(memory, n, s));
  END
}
inline cudaError_t release(unsigned which, void *memory) {
  SITES(3, which)
    AT(0, cudaFree(memory));
    AT(1, cudaFree(memory));
    AT(2, cudaFree(memory));
  END
}
inline cudaError_t releaseAsync(unsigned which, void *memory, cudaStream_t s) {
  SITES(2, which)
    AT(0, cudaFreeAsync(memory, s));
    AT(1, cudaFreeAsync(memory, s));
  END
}

/// Calls that are wrong. Each says its line, for the checker to look it up.
#define WRONG(number, call)                                                                        \
  case number:                                                                                     \
    *line = __LINE__;                                                                              \
    status = call;                                                                                 \
    break
inline cudaError_t wrong(unsigned which, void *memory, void *host, size_t n, unsigned *line) {
  SITES(4, which)
    WRONG(0, cudaMemcpy(memory, host, n + 64, Up));     // out of bounds
    WRONG(1, cudaMemset(memory, 0, n + 8));             // out of bounds
    WRONG(2, cudaFree(static_cast<char *>(memory) + 8)); // no allocation starts there
    WRONG(3, cudaFree(memory));                         // freed before
  END
}

struct Launch {
  int *x, *y;
  int *const *table;
  const volatile int *flag;
  int value;
  unsigned n;
  cudaStream_t stream;
};
constexpr unsigned Kernels = 18, KernelsWithVariables = 22;
enum { Each = 8, Await = 13, Keep = 20, WriteKept = 21 };

inline cudaError_t launch(unsigned which, const Launch &l) {
  unsigned blocks = (l.n + 255) / 256;
  cudaStream_t s = l.stream;
  SITES(CARRIED ? KernelsWithVariables : Kernels, which)
    RUN(0, (mapTo<<<blocks, 256, 0, s>>>(l.x, l.y, l.n)));
    RUN(1, (mapTo<<<blocks, 256, 0, s>>>(l.y, l.x, l.n)));
    RUN(2, (stride<<<2, 64, 0, s>>>(l.x, l.y, l.n, 128)));
    RUN(3, (inPlace<<<blocks, 256, 0, s>>>(l.x, l.n)));
    RUN(4, (inPlace<<<blocks, 256, 0, s>>>(l.x, l.n / 2)));
    RUN(5, (fill<<<blocks, 256, 0, s>>>(l.x, l.value, l.n)));
    RUN(6, (clampTo<<<blocks, 256, 0, s>>>(l.x, l.value > 2 ? 0x7fffffff : 1000, l.n)));
    RUN(7, (drop<<<blocks, 256, 0, s>>>(l.x, l.value, l.n)));
    RUN(8, (each<<<blocks, 256, 0, s>>>(l.table, l.value > 2 ? 0 : l.value, l.n)));
    RUN(9, (viewed<<<blocks, 256, 0, s>>>(View{l.x, l.n}, l.value > 2 ? 0 : 1)));
    RUN(10, (number<<<blocks, 256, 0, s>>>(reinterpret_cast<unsigned long long>(l.x), l.value, l.n)));
    RUN(11, (ignore<<<blocks, 256, 0, s>>>(l.x, l.y, l.n)));
    RUN(12, (mapTo<<<blocks, 256, 0, s>>>(l.x, l.y, l.n / 2)));
    RUN(13, (await<<<blocks, 256, 0, s>>>(l.flag, l.x, l.n)));
    RUN(14, (mapFields<<<blocks, 256, 0, s>>>(Fields{l.x, l.n, {l.y, l.n}, l.x})));
    RUN(15, (mapFields<<<blocks, 256, 0, s>>>(Fields{l.y, l.n, {l.x, l.n}, l.y})));
    RUN(16, (spareFields<<<blocks, 256, 0, s>>>(Fields{l.x, l.n, {l.y, l.n}, l.x}, l.value)));
    RUN(17, (turnFields<<<blocks, 256, 0, s>>>(Fields{l.y, l.n, {l.y, l.n}, l.x})));
#if CARRIED
    RUN(18, (setVariable<<<1, VariableInts, 0, s>>>(l.value)));
    RUN(19, (getVariable<<<1, VariableInts, 0, s>>>(l.x)));
    RUN(20, (keep<<<1, 1, 0, s>>>(l.x)));
    RUN(21, (writeKept<<<blocks, 256, 0, s>>>(l.value, l.n)));
#endif
  END
}
// clang-format on

} // namespace site
