// A file of so many calls that they share their instrumentation: a class that makes several things for
// its object stands beside functions that name their memory themselves. Each knows as many callers as
// it has room for, and what functions return arrives.
// SPDX-License-Identifier: Apache-2.0
// PLUGIN: -fplugin-arg-gpuinstr-compact=1
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=clusters.centres line=@centres count=1 caller=@clusters
// EXPECT: leak proven memory=event variable=timer.stop line=@stop count=2 caller=@timer
// EXPECT: reupload proven variable=points function=assign line=@points count=3 caller=@assign
// EXPECT-ALL
// EXPECT-STDOUT: 4 rounds, 12 points, last 11
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda_runtime.h>

struct Timer {
  cudaEvent_t start, stop;
  Timer() {
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop)); // @stop
    CHECK(cudaEventRecord(start));
  }
  ~Timer() {
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventDestroy(start));
#ifdef FIXED
    CHECK(cudaEventDestroy(stop));
#endif
  }
};

static void wait(cudaStream_t stream) { CHECK(cudaStreamSynchronize(stream)); }

struct Clusters {
  float *centres;
  cudaStream_t stream;
  Clusters() {
    CHECK(cudaMalloc(&centres, 4096)); // @centres
    CHECK(cudaStreamCreate(&stream));
    wait(stream);
  }
  ~Clusters() {
    wait(stream);
#ifdef FIXED
    CHECK(cudaFree(centres));
#endif
    CHECK(cudaStreamDestroy(stream));
  }
};

static std::vector<int> assign(const Clusters &clusters, const std::vector<float> &from) {
  float *points;
  CHECK(cudaMalloc(&points, from.size() * sizeof(float)));
  CHECK(cudaMemcpy(points, from.data(), from.size() * sizeof(float), // @points
                   cudaMemcpyHostToDevice));
  wait(clusters.stream);
  CHECK(cudaFree(points));
  std::vector<int> labels(12);
  for (int i = 0; i < 12; ++i)
    labels[i] = i;
  return labels;
}

int main() {
  std::vector<float> from = noise(40000);
  std::vector<int> labels;
  int rounds = 0;
  {
    Clusters clusters; // @clusters
    for (int half = 0; half < 2; ++half) {
      Timer timer; // @timer
      for (int i = 0; i < 2; ++i, ++rounds) {
        labels = assign(clusters, from); // @assign
#ifdef FIXED
        from[0] += 1;
#endif
      }
    }
  }
  printf("%d rounds, %zu points, last %d\n", rounds, labels.size(), labels.back());
}
