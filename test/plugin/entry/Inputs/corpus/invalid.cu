// corpus: --cuda-host-only
#include <cuda_runtime.h>
__device__ int host_only();
__global__ int wrong(int *p) { return *p; }
__global__ void k(int *p) { p[0] = cudaMalloc(&p, 4); new_thing(p); }
int main() { k<<<1>>>(0); k<<<1, 1>>>("x"); k(nullptr); wrong<<<1, 1, 1, 1, 1>>>(0); cudaMalloc(
