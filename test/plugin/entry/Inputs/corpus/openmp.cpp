// corpus: -fopenmp -O2 -Wall | -fopenmp-simd
#include <cuda_runtime_api.h>
int main() {
  int bad = 0;
#pragma omp parallel for reduction(+ : bad)
  for (int i = 0; i < 8; ++i) {
    void *p = nullptr;
    bad += cudaMalloc(&p, i + 1);
#pragma omp critical
    bad += cudaFree(p);
  }
#pragma omp task depend(out : bad)
  bad += cudaDeviceSynchronize();
  return bad;
}
