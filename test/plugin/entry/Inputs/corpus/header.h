// corpus: -x c-header | -x c++-header -std=c++17
#pragma once
#include <cuda_runtime_api.h>
static inline void drop(void *p) { cudaFree(p); }
