// Calls in default arguments, new-expressions, member chains and operators have the debug location
// that clang gives them: each joins its description.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx -std=c++17 -w %instr -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.o | %FileCheck %s
// CHECK-NOT: {{^}}unjoined
// CHECK: joined 45, unjoined 0
#include <cuda_runtime_api.h>
int size();
struct Two {
  Two(int a = size(), int b = size() + size());
  ~Two();
};
struct Agg {
  int a = size();
};
void defarg(int n = size(), int m = size());
struct H {
  H &chain(int k = size()) { return *this; }
  int operator[](int i) { return size(); }
  int operator+(H &) { return size(); }
  operator bool() { return size(); }
  void many(int a, int b = size(), H *h = nullptr) {}
};
int main() {
  defarg();
  defarg(1, 2);
  Two t;
  Two *arr = new Two[3];
  Two *one = new Two;
  Two many[4];
  H h;
  h.chain().chain(3).many(size());
  h[3];
  h + h;
  if (h)
    size();
  H *hp = &h;
  hp->many(2);
  (*hp).chain();
  (size)();
  (*&size)();
  int (*fp)() = size;
  fp();
  (*fp)();
  Agg agg{};
  auto *p = new int[size()];
  (void)(arr == nullptr || size());
  return (*arr).~Two(), 0;
}
