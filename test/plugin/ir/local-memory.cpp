// What is made in a function, or received there, and not in what it returns.
// SPDX-License-Identifier: Apache-2.0
// RUN: %clangxx %instr -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
// RUN: %clangxx %instr -O2 -fplugin-arg-gpuinstr-list-sites -c %s -o %t.o | %FileCheck %s
#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <vector>

void unknown(float *x);
float *twice(float *x);

// CHECK-DAG: alloc cudaMalloc({{.*}} -> d : float in compute [discarded cuda-error local]
// CHECK-DAG: create cudaEventCreate({{.*}} in compute [discarded cuda-error local]
float *compute(const float *x, int n) {
  float *h = new float[n], *d;
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaMalloc(&d, n * sizeof *d);
  cudaMemcpy(d, x, n * sizeof *d, cudaMemcpyHostToDevice);
  unknown(d);
  cudaMemcpy(h, d, n * sizeof *h, cudaMemcpyDeviceToHost);
  return h;
}
// Through a function that can be seen, into a vector.
// CHECK-DAG: alloc cudaMalloc({{.*}} -> d : float in fetched [discarded cuda-error local]
static void fetch(std::vector<float> &h, const float *d) {
  cudaMemcpy(h.data(), d, h.size() * sizeof *d, cudaMemcpyDeviceToHost);
}
std::vector<float> fetched(int n) {
  std::vector<float> h(n);
  float *d;
  cudaMalloc(&d, n * sizeof *d);
  fetch(h, d);
  return h;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} -> this->tmp : float in Solver::solve [discarded cuda-error wrapper local]
struct Solver {
  float *host, *tmp;
  float *solve() {
    cudaMalloc(&tmp, 64);
    return host;
  }
};
// CHECK-DAG: alloc cudaMalloc({{.*}} -> d : float in both [discarded cuda-error local]
// CHECK-DAG: alloc cudaMalloc({{.*}} -> p : float in both [discarded cuda-error]
float *both(int n) {
  float *d, *p;
  cudaMalloc(&d, n);
  cudaMalloc(&p, n);
  cudaMemcpy(p, d, n, cudaMemcpyDeviceToDevice);
  return p;
}

// Returned, as it is or in something.
// CHECK-DAG: alloc cudaMalloc({{.*}} in made [discarded cuda-error wrapper]
float *made(int n) {
  float *p;
  cudaMalloc(&p, n);
  return p;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in shifted [discarded cuda-error{{( wrapper)?}}]
float *shifted(int n) {
  float *p;
  cudaMalloc(&p, n);
  return n > 4 ? p + n : nullptr;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in passedOn [discarded cuda-error{{( wrapper)?}}]
float *passedOn(int n) {
  float *p;
  cudaMalloc(&p, n);
  return twice(p);
}
// CHECK-DAG: alloc cudaHostAlloc({{.*}} in mapped [discarded cuda-error{{( wrapper)?}}]
void *mapped(int n) {
  void *h, *d;
  cudaHostAlloc(&h, n, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&d, h, 0);
  return d;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in owned [discarded cuda-error wrapper]
struct Free {
  void operator()(float *p) const { cudaFree(p); }
};
std::unique_ptr<float, Free> owned(int n) {
  float *p;
  cudaMalloc(&p, n);
  return std::unique_ptr<float, Free>(p);
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in shared [discarded cuda-error{{( wrapper)?}}]
std::shared_ptr<float> shared(int n) {
  float *p;
  cudaMalloc(&p, n);
  std::shared_ptr<float> owner(p, Free());
  return owner;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in listed [discarded cuda-error{{( wrapper)?}}]
std::vector<float *> listed(int n) {
  float *p;
  cudaMalloc(&p, n);
  std::vector<float *> all;
  all.push_back(p);
  return all;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in keyed [discarded cuda-error{{( wrapper)?}}]
std::map<int, float *> keyed(int n) {
  std::map<int, float *> all;
  float *p;
  cudaMalloc(&p, n);
  all[n] = p;
  return all;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in pair [discarded cuda-error{{( wrapper)?}}]
struct Pair {
  float *a, *b;
};
Pair pair(int n) {
  Pair result = {};
  cudaMalloc(&result.b, n);
  return result;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} in heaped [discarded cuda-error{{( wrapper)?}}]
// CHECK-DAG: alloc cudaMalloc({{.*}} in setInto [discarded cuda-error{{( wrapper)?}}]
static void set(Pair *pair, float *p) { pair->a = p; }
Pair *heaped(int n) {
  auto *result = new Pair;
  cudaMalloc(&result->b, n);
  return result;
}
Pair *setInto(int n) {
  auto *result = new Pair;
  float *p;
  cudaMalloc(&p, n);
  set(result, p);
  return result;
}
// CHECK-DAG: alloc cudaMalloc({{.*}} -> p : float in Held::Held [discarded cuda-error{{( wrapper)?}}]
// CHECK-DAG: alloc cudaMalloc({{.*}} -> scratch : float in Held::Held [discarded cuda-error local]
// CHECK-DAG: alloc cudaMalloc({{.*}} in makeHeld [discarded cuda-error{{( wrapper)?}}]
struct Held {
  explicit Held(int n) {
    float *p, *scratch;
    cudaMalloc(&p, n);
    cudaMalloc(&scratch, n);
    data = p;
  }
  explicit Held(float *p) : data(p) {}
  float *data;
};
Held *makeHeld(int n) {
  float *p;
  cudaMalloc(&p, n);
  return new Held(p);
}

// What a line receives: it is no wrapper's then.
// CHECK-DAG: caller made(n) -> q : float in receives [receives local]
// CHECK-DAG: caller made(n) -> q : float in handsOn [receives wrapper]
float *receives(int n) {
  float *h = new float[n], *q = made(n);
  cudaMemcpy(h, q, n, cudaMemcpyDeviceToHost);
  return h;
}
float *handsOn(int n) {
  float *q = made(n);
  return q;
}

void use(Solver &solver) {
  Held held(4);
  solver.solve();
}
