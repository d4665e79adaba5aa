// The same for those that include cuda_runtime.h, whose templates overload CUDA's functions.
#include <cuda_runtime.h>

#include "RuntimeApi.cpp"
