// corpus: -std=c++17 -Wall | -std=c++17 -fdiagnostics-format=sarif -Wno-sarif-format-unstable | -ferror-limit=1
#include <cuda_runtime_api.h>
template <class T> struct A { T *p; A() { cudaMalloc(p); } void f(); };
template <class T> void A<T>::f() { undeclared(this); }
struct B { B(); int x = cudaMalloc(); };
int f(int *p) { cudaFree(p, 1); return cudaMemcpy(p, p, 4, 7); }
A<int> a; void g() { a.f(); for (auto x : 3) cudaFree(x); }
static_assert(sizeof(a) == 1);
