// The demo: heat in a square plate, stepped explicitly, with four mistakes that real programs make.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing here knows of gpuinstr. The mistakes are marked; the report must name each of them by
// line, variable and caller, or say why it cannot.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = (call);                                                                    \
    if (error != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                   cudaGetErrorString(error));                                                     \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

constexpr int N = 512;     // cells along one side
constexpr int Steps = 400; // time steps
constexpr int SnapshotEvery = 100;

template <typename T> class Buffer {
public:
  explicit Buffer(size_t count) : count(count) { CHECK(cudaMalloc(&data, bytes())); }
  ~Buffer() {
    if (data)
      cudaFree(data);
  }
  Buffer(const Buffer &) = delete;
  T *get() const { return data; }
  T *release() { return std::exchange(data, nullptr); }
  size_t bytes() const { return count * sizeof(T); }

private:
  T *data = nullptr;
  size_t count;
};

__global__ void step(const float *u, float *next, const float *conductivity, int n, float dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
    return;
  int i = y * n + x;
  float laplacian = u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - 4.0f * u[i];
  next[i] = u[i] + dt * conductivity[i] * laplacian;
}

__global__ void squaredChange(const float *u, const float *next, float *sum, int cells) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
    float d = next[i] - u[i];
    atomicAdd(sum, d * d);
  }
}

class Plate {
public:
  Plate() : u(N * N), next(N * N), conductivity(N * N), change(1), hostConductivity(N * N, 0.2f) {
    CHECK(cudaStreamCreate(&stream));
    std::vector<float> start(N * N, 20.0f);
    for (int x = 0; x < N; ++x)
      start[x] = 100.0f; // one hot edge
    CHECK(cudaMemcpy(u.get(), start.data(), u.bytes(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(next.get(), start.data(), next.bytes(), cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&halo, N * sizeof(float)));
    CHECK(cudaMemset(halo, 0, N * sizeof(float)));
  }

  void advance() {
    // MISTAKE: the conductivity never changes, but is uploaded in every step.
    CHECK(cudaMemcpyAsync(conductivity.get(), hostConductivity.data(), conductivity.bytes(),
                          cudaMemcpyHostToDevice, stream));
    dim3 block(32, 8), grid(N / 32, N / 8);
    step<<<grid, block, 0, stream>>>(u.get(), next.get(), conductivity.get(), N, 0.9f);
    CHECK(cudaMemsetAsync(change.get(), 0, change.bytes(), stream));
    squaredChange<<<128, 256, 0, stream>>>(u.get(), next.get(), change.get(), N * N);
    CHECK(cudaMemcpyAsync(u.get(), next.get(), u.bytes(), cudaMemcpyDeviceToDevice, stream));
  }

  float residual() {
    float sum = 0;
    CHECK(cudaMemcpyAsync(&sum, change.get(), sizeof sum, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream)); // failures of the step above show here
    // MISTAKE: nobody allocated the trace, and nobody looks at what cudaMemcpy says to that.
    cudaMemcpy(trace, change.get(), sizeof(float), cudaMemcpyDeviceToHost);
    return std::sqrt(sum);
  }

  void snapshot() {
    // MISTAKE: the copy for the output thread is handed out and never freed.
    Buffer<float> copy(N * N);
    CHECK(cudaMemcpy(copy.get(), u.get(), u.bytes(), cudaMemcpyDeviceToDevice));
    snapshots.push_back(copy.release());
  }

  void close() {
    CHECK(cudaFree(halo));
    CHECK(cudaStreamDestroy(stream));
  }

  ~Plate() {
    cudaFree(halo); // MISTAKE: close() has freed it already.
  }

  std::vector<float> temperatures() const {
    std::vector<float> host(N * N);
    CHECK(cudaMemcpy(host.data(), u.get(), u.bytes(), cudaMemcpyDeviceToHost));
    return host;
  }

private:
  Buffer<float> u, next, conductivity, change;
  std::vector<float> hostConductivity;
  std::vector<float *> snapshots;
  float *halo = nullptr;
  float *trace = nullptr;
  cudaStream_t stream = nullptr;
};

/// Largest difference between the device's temperatures and the same steps on the CPU.
float differenceFromCpu(const std::vector<float> &device) {
  std::vector<float> u(N * N, 20.0f);
  std::fill(u.begin(), u.begin() + N, 100.0f);
  std::vector<float> next = u;
  for (int i = 0; i < Steps; ++i, u.swap(next))
    for (int y = 1; y < N - 1; ++y)
      for (int x = 1; x < N - 1; ++x) {
        const float *c = &u[y * N + x];
        next[y * N + x] = c[0] + 0.9f * 0.2f * (c[-1] + c[1] + c[-N] + c[N] - 4.0f * c[0]);
      }
  float largest = 0;
  for (int i = 0; i < N * N; ++i)
    largest = std::fmax(largest, std::fabs(u[i] - device[i]));
  return largest;
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("heat on a %d x %d plate, %d steps, %s\n", N, N, Steps, properties.name);

  Plate plate;
  for (int i = 1; i <= Steps; ++i) {
    plate.advance();
    if (i % SnapshotEvery == 0) {
      std::printf("step %3d  residual %.4f\n", i, plate.residual());
      plate.snapshot();
    }
  }
  // The order of float operations may differ, nothing else.
  float difference = differenceFromCpu(plate.temperatures());
  plate.close();
  std::printf("largest difference from the CPU's result: %.5f\n", difference);
  return difference < 0.01f ? 0 : 1;
}
