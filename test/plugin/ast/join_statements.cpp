// Every call of the program's own functions joins its description, whatever statement, initialiser,
// lambda or local class it stands in.
// SPDX-License-Identifier: Apache-2.0
// clang-format off
// RUN: %clangxx -std=c++17 -fopenmp=libomp -w %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// CHECK-NOT: {{^}}unjoined
// CHECK-DAG: initializer of gvar calls lambda(3)
// CHECK-DAG: initializer of St<int>::sm calls make(10) variable=sm type=float
// CHECK-DAG: par calls make(i)
// CHECK-DAG: nested::lambda::lambda calls cudaFree(nullptr)
// CHECK-DAG: nested::lambda calls cudaFree(x) variable=x type=int
// CHECK-DAG: nested::lambda calls cudaFree(x) variable=x type=float
// CHECK: joined 66, unjoined 0
// clang-format on
#include <cuda_runtime_api.h>
#include <functional>
#include <vector>
float *make(int n) {
  float *p;
  cudaMalloc((void **)&p, n);
  return p;
}
int size() { return cudaDeviceSynchronize(); }
void defarg(int n = size()) {}
struct Mem {
  float *p = make(3);
  int k{size()};
  std::vector<float *> v{make(1), make(2)};
};
struct Two : Mem {
  using Mem::Mem;
  Two(int) : Two() {}
  Two() {}
  ~Two() { cudaFree(p); }
};
inline float *inl = make(9);
template <class T> struct St { static float *sm; };
template <class T> float *St<T>::sm = make(10);
thread_local float *tl = make(11);
auto glambda = [](int k) { return cudaFree(nullptr); };
int gvar = glambda(3);
struct Conv {
  operator float *() const { return make(5); }
  float *operator->() { return make(6); }
};
float *take(float *);
void loc() {
  static float *s = make(12);
  struct L {
    void f() { cudaFree(nullptr); }
  } l;
  l.f();
}
void par() {
#pragma omp parallel for
  for (int i = 0; i < 4; ++i)
    cudaFree(make(i));
}
void tr() try { make(3); } catch (int) {
  make(4);
  throw;
}
void sw(int k) {
  switch (k) {
  case 1:
    make(1);
    break;
  default:
    make(2);
  }
  do {
    make(k);
  } while (size());
  while (float *q = make(k))
    cudaFree(q);
  if (float *q = make(k); q)
    cudaFree(q);
  for (float *q : std::vector<float *>{make(1)})
    cudaFree(q);
  goto end;
end:
  make(1);
}
std::function<int()> fn() {
  return [] { return size(); };
}
void nested() {
  auto a = [] {
    auto b = [] { cudaFree(nullptr); };
    b();
  };
  a();
  auto g = [](auto x) { cudaFree(x); };
  g((int *)nullptr);
  g((float *)nullptr);
}
int main(int c, char **v) {
  Mem m;
  defarg();
  Two t(3), t2;
  Conv cv;
  take(cv);
  float *x = cv;
  x = c ? make(1) : make(2);
  par();
  loc();
  c = size(), size();
  St<int>::sm = nullptr;
  Two *arr = new Two[3];
  delete[] arr;
  (*arr).~Two();
  const Mem &r = Mem();
  float *y[] = {make(1), make(2)};
  return size() + (size() ? size() : -size()) + (c && size());
}
