/* corpus: -std=c23 -Wall */
#include <cuda_runtime_api.h>
constexpr int Bytes = 64;
[[nodiscard]] static bool make(typeof(nullptr) *, void **p) { return cudaMalloc(p, Bytes) == 0; }
_BitInt(37) wide = 5wb;
int main() { void *p = nullptr; make(nullptr, &p); auto q = p; return cudaFree(q) != 0; }
