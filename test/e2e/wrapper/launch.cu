// Launches and wrappers: a kernel that was given is the line's that gave it; one that a function
// names itself is that function's.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// OPTIONS: verbose=1
// EXPECT-CLEAN
// EXPECT-SITE: kind=launch callee=add line=@add via=@launch via-function=launch* calls=2 kernels=*add*
// EXPECT-SITE: kind=launch callee=half line=@half via=@launch calls=1 kernels=*half*
// EXPECT-NO-SITE: line=@launch calls>=1
// EXPECT-SITE: kind=launch line=@value via=@launch-value calls=1 kernels=*half*
// EXPECT-SITE: kind=launch line=@plus via=@each calls=1 kernels=*apply*Plus*
// EXPECT-SITE: kind=launch line=@times via=@each calls=1 kernels=*apply*Times*
// EXPECT-SITE: kind=launch line=@object via=@member calls=1 kernels=*half*
// EXPECT-SITE: kind=launch callee=cudaLaunchKernel line=@api via=@launch-api calls=1 kernels=*half*
// EXPECT-SITE: kind=launch callee=cudaGraphLaunch line=@graph via=@replay calls=2
// EXPECT-NO-SITE: line=@replay calls>=1
// EXPECT-SITE: kind=launch callee=half line=@own calls=3 via= function=Halve::operator()
// EXPECT-SITE: kind=launch callee=scaled<float> line=@typed calls=1 via= function=scale<float>
// EXPECT-REPORT: *add*launch.cu:{@add}*
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__global__ void add(float *x, float y, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] += y;
}
__global__ void half(float *x, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] *= 0.5f;
}
template <class T> __global__ void scaled(T *x, T by) { x[threadIdx.x] *= by; }
template <class F> __global__ void apply(F f, int n) {
  if (threadIdx.x < n)
    f(threadIdx.x);
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), int n, Arguments... arguments) {
  kernel<<<(n + 63) / 64, 64>>>(arguments..., n); // @launch
  CHECK(cudaGetLastError());
}
template <void (*Kernel)(float *, int)> void launchValue(float *x, int n) {
  Kernel<<<1, 64>>>(x, n); // @launch-value
}
template <class F> void forEach(int n, F f) {
  apply<<<1, 64>>>(f, n); // @each
}
struct Launcher {
  void (*kernel)(float *, int);
  void operator()(float *x, int n) const {
    kernel<<<1, 64>>>(x, n); // @member
  }
};
void launchAny(const void *function, void **arguments) {
  CHECK(cudaLaunchKernel(function, dim3(1), dim3(64), arguments, 0, nullptr)); // @launch-api
}
class Graph {
public:
  explicit Graph(cudaGraph_t graph) { CHECK(cudaGraphInstantiate(&exec, graph, 0)); }
  ~Graph() { CHECK(cudaGraphExecDestroy(exec)); }
  void replay(cudaStream_t stream) { CHECK(cudaGraphLaunch(exec, stream)); } // @replay

private:
  cudaGraphExec_t exec = nullptr;
};

struct Halve {
  float *x;
  int n;
  void operator()() const {
    half<<<1, 64>>>(x, n); // @own
  }
};
template <class T> void scale(T *x, T by) {
  scaled<T><<<1, 64>>>(x, by); // @typed
}

struct Plus {
  float *x, y;
  __device__ void operator()(int i) const { x[i] += y; }
};
struct Times {
  float *x, y;
  __device__ void operator()(int i) const { x[i] *= y; }
};

int main() {
  const int n = 64;
  float *d_x;
  CHECK(cudaMalloc(&d_x, n * sizeof *d_x));
  CHECK(cudaMemset(d_x, 0, n * sizeof *d_x));
  for (int i = 0; i < 2; ++i)
    launch(add, n, d_x, 1.0f + float(i)); // @add
  launch(half, n, d_x);                   // @half
  launchValue<half>(d_x, n);              // @value
  forEach(n, Plus{d_x, 1.0f});            // @plus
  forEach(n, Times{d_x, 3.0f});           // @times
  Launcher halve{half};
  halve(d_x, n); // @object
  int size = n;
  void *arguments[] = {&d_x, &size};
  launchAny((const void *)half, arguments); // @api
  Halve own{d_x, n};
  for (int i = 0; i < 3; ++i)
    own();
  scale(d_x, 2.0f);

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  half<<<1, 64, 0, stream>>>(d_x, n);
  cudaGraph_t captured;
  CHECK(cudaStreamEndCapture(stream, &captured));
  {
    Graph graph(captured);
    for (int i = 0; i < 2; ++i)
      graph.replay(stream); // @graph
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaGraphDestroy(captured));
  CHECK(cudaStreamDestroy(stream));
  float back[n];
  CHECK(cudaMemcpy(back, d_x, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_x));
  puts("launched");
}
