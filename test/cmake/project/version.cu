// CUDA 13 has CUB in a folder that only nvcc searches by itself.
// SPDX-License-Identifier: Apache-2.0
#include <cub/version.cuh>
int version() { return CUB_VERSION; }
