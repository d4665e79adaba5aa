// Writes by methods and closures: regular where the object is the kernel's own, memory says nothing
// of what it holds, and nothing changes it.
// SPDX-License-Identifier: Apache-2.0
// RUN: %facts -std=c++17 -c %s -o %t.o | %FileCheck %s
// RUN: %if nvcc %{ %nvcc -std=c++17 %nvcc_instr -Xcompiler -fplugin-arg-gpuinstr-dump-ast -c %s -o %t.nvcc.o | %FileCheck %s %}
#include <cuda_runtime.h>

struct Fill {
  float *p;
  __device__ void operator()(int i) const { p[i] = 2; }
  __device__ void put(int i) { operator()(i); }
};
// CHECK-LABEL: kernel functor {{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
__global__ void functor(int n, Fill f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}
// CHECK-LABEL: kernel method {{.*}}
// CHECK: parameter f : {{.*}} aggregate write{{$}}
__global__ void method(int n, Fill f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    f.put(i);
}
struct Outer : Fill {
  Fill inner;
  __device__ void all(int i) const {
    inner(i);
    Fill::operator()(i);
  }
};
// CHECK-LABEL: kernel nested {{.*}}
// CHECK: parameter o : {{.*}} aggregate write{{$}}
__global__ void nested(Outer o) { o.all(threadIdx.x); }
// CHECK-LABEL: kernel local_object {{.*}}
// CHECK: parameter p : {{.*}} pointer write{{$}}
__global__ void local_object(float *p) {
  Fill f{p + blockIdx.x};
  f(threadIdx.x);
}
// CHECK-LABEL: kernel local_closure {{.*}}
// CHECK: parameter p : {{.*}} pointer write{{$}}
__global__ void local_closure(float *p) {
  auto put = [p](int i) { p[i] = 1; };
  put(threadIdx.x);
}

template <class T> struct View {
  T *p;
  int nx;
  int size[2];
  __device__ T &operator()(int i, int j) const { return p[i + nx * j]; }
  __device__ T &at(int i, int j) const {
    const int row = j * size[1];
    return (*this)(i, row);
  }
  __device__ T *data() const { return p; }
};
// CHECK-LABEL: kernel view {{.*}}
// CHECK: parameter v : {{.*}} aggregate write{{$}}
__global__ void view(View<float> v) { v(threadIdx.x, blockIdx.x) = 1; }
// CHECK-LABEL: kernel view_in_view {{.*}}
// CHECK: parameter v : {{.*}} aggregate write{{$}}
__global__ void view_in_view(View<float> v) { v.at(threadIdx.x, blockIdx.x) = 1; }
// CHECK-LABEL: kernel data_of_view {{.*}}
// CHECK: parameter v : {{.*}} aggregate write{{$}}
__global__ void data_of_view(View<float> v) { v.data()[threadIdx.x] = 1; }
// CHECK-LABEL: kernel member_of_view {{.*}}
// CHECK: parameter v : {{.*}} aggregate write{{$}}
__global__ void member_of_view(View<float2> v) { v(threadIdx.x, 0).x = 1; }

// What memory decides on.
struct ByIndex {
  float *p;
  const int *index;
  __device__ void operator()(int i) const { p[index[i]] = 2; }
};
// CHECK-LABEL: kernel by_index {{.*}}
// CHECK: parameter f : {{.*}} aggregate read write anywhere{{$}}
__global__ void by_index(ByIndex f) { f(threadIdx.x); }
// CHECK-LABEL: kernel index_is_argument {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void index_is_argument(Fill f, const int *index) { f(index[threadIdx.x]); }
// CHECK-LABEL: kernel index_of_view {{.*}}
// CHECK: parameter v : {{.*}} aggregate write anywhere{{$}}
__global__ void index_of_view(View<float> v, const int *index) { v(index[threadIdx.x], 0) = 1; }
// CHECK-LABEL: kernel decided {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void decided(Fill f, const int *index) {
  if (index[threadIdx.x])
    f(threadIdx.x);
}
// CHECK-LABEL: kernel made_of_memory {{.*}}
// CHECK: parameter p : {{.*}} pointer write anywhere{{$}}
__global__ void made_of_memory(float *p, const int *index) {
  Fill f{p + index[threadIdx.x]};
  f(0);
}
// CHECK-LABEL: kernel changed_by_memory {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void changed_by_memory(Fill f, const int *index) {
  f.p += index[threadIdx.x];
  f(0);
}
// CHECK-LABEL: kernel closure_of_memory {{.*}}
// CHECK: parameter p : {{.*}} pointer write anywhere{{$}}
__global__ void closure_of_memory(float *p, const int *index) {
  int at = index[threadIdx.x];
  auto put = [p, at](int i) { p[i + at] = 1; };
  put(0);
}
// CHECK-LABEL: kernel in_memory {{.*}}
// CHECK: parameter f : {{.*}} pointer read follow{{$}}
__global__ void in_memory(const Fill *f) { f[0](threadIdx.x); }

// Objects that change.
struct Moves {
  float *p;
  int n;
  __device__ void operator()(const int *index) {
    n = index[threadIdx.x];
    p[n] = 2;
  }
  __device__ void move(int by) { n += by; }
  __device__ void put() const { p[n] = 2; }
};
// CHECK-LABEL: kernel moves {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void moves(Moves f, const int *index) { f(index); }
// CHECK-LABEL: kernel moved {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void moved(Moves f, const int *index) {
  f.move(index[threadIdx.x]);
  f.put();
}
struct Mutable {
  float *p;
  mutable int n;
  __device__ void operator()(const int *index) const {
    n = index[threadIdx.x];
    p[n] = 2;
  }
};
// CHECK-LABEL: kernel mutable_member {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void mutable_member(Mutable f, const int *index) { f(index); }
struct Casts {
  float *p;
  int n;
  __device__ void operator()(const int *index) const {
    const_cast<Casts *>(this)->n = index[threadIdx.x];
    p[n] = 2;
  }
};
// CHECK-LABEL: kernel casts {{.*}}
// CHECK: parameter f : {{.*}} aggregate write anywhere{{$}}
__global__ void casts(Casts f, const int *index) { f(index); }
struct Refers {
  float *p;
  const int &n;
  __device__ void operator()() const { p[n] = 2; }
};
// CHECK-LABEL: kernel refers {{.*}}
// CHECK: parameter f : {{.*}} aggregate {{.*}}write anywhere{{$}}
__global__ void refers(Refers f) { f(); }
// CHECK-LABEL: kernel mutable_closure {{.*}}
// CHECK: parameter p : {{.*}} pointer write anywhere{{$}}
__global__ void mutable_closure(float *p, const int *index) {
  int at = 0;
  auto put = [p, at](int by) mutable {
    at += by;
    p[at] = 1;
  };
  put(index[0]);
  put(0);
}
// CHECK-LABEL: kernel by_reference {{.*}}
// CHECK: parameter p : {{.*}} pointer write anywhere{{$}}
__global__ void by_reference(float *p, const int *index) {
  int at = 0;
  auto put = [p, &at](int i) { p[i + at] = 1; };
  at = index[0];
  put(0);
}
struct Branches {
  float *p;
  const int *index;
  __device__ float &operator()(int i) const {
    if (index[i])
      return p[i];
    return p[0];
  }
};
// CHECK-LABEL: kernel branching_view {{.*}}
// CHECK: parameter v : {{.*}} aggregate read write anywhere{{$}}
__global__ void branching_view(Branches v) { v(threadIdx.x) = 1; }
struct Virtual {
  float *p;
  __device__ virtual float &operator()(int i) const { return p[i]; }
};
// CHECK-LABEL: kernel virtual_view {{.*}}
// CHECK: parameter v : {{.*}} aggregate {{.*}}unknown{{.*$}}
__global__ void virtual_view(Virtual v) { v(threadIdx.x) = 1; }
