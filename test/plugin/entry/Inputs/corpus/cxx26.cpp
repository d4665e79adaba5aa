// corpus: -std=c++23 -fsyntax-only | -std=c++26 -O2
#include <cuda_runtime_api.h>
struct Owner {
  void *p = nullptr;
  void take(this auto &self, auto... n) {
    auto _ = cudaMalloc(&self.p, n...[0]);
    auto _ = cudaFree(self.p);
  }
};
consteval int bytes() { return 64; }
int main() {
  if consteval { return 1; }
  Owner o;
  o.take(bytes());
  static_assert(bytes() == 64, "bytes");
}
