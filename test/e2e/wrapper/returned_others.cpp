// What a wrapper fills keeps its own name where the wrapper may return something else by then.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: reupload proven line=@oneoftwo via=@two.first variable=first count=3
// EXPECT: reupload proven line=@oneoftwo via=@two.second variable=second count=3
// EXPECT: reupload proven line=@swapped via=@swap.in variable=in count=3
// EXPECT: reupload proven line=@swapped via=@swap.out variable=out count=3
// EXPECT: reupload proven line=@assigned via=@assign.made variable=made count=3
// EXPECT: reupload proven line=@assigned via=@assign.kept variable=kept count=3
// EXPECT: reupload proven line=@thesame via=@same.made variable=same count=3
// EXPECT-ALL
// EXPECT-NO[twin]: reupload
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <utility>
#include <vector>

static constexpr size_t Bytes = 4096;
static bool TakesFirst = false;

static float *oneOfTwo(const float *x, const float *y) {
  float *first, *second;
  CHECK(cudaMalloc(&first, Bytes));
  CHECK(cudaMalloc(&second, Bytes));
  CHECK(cudaMemcpy(first, x, Bytes, cudaMemcpyHostToDevice));  // @two.first
  CHECK(cudaMemcpy(second, y, Bytes, cudaMemcpyHostToDevice)); // @two.second
  if (TakesFirst) {
    CHECK(cudaFree(second));
    return first;
  }
  CHECK(cudaFree(first));
  return second;
}

static float *swapped(const float *x, const float *y) {
  float *in, *out;
  CHECK(cudaMalloc(&in, Bytes));
  CHECK(cudaMalloc(&out, Bytes));
  CHECK(cudaMemcpy(in, x, Bytes, cudaMemcpyHostToDevice));  // @swap.in
  CHECK(cudaMemcpy(out, y, Bytes, cudaMemcpyHostToDevice)); // @swap.out
  std::swap(in, out);
  CHECK(cudaFree(out));
  return in;
}

static float *assigned(const float *x, const float *y) {
  float *made, *kept;
  CHECK(cudaMalloc(&made, Bytes));
  CHECK(cudaMalloc(&kept, Bytes));
  CHECK(cudaMemcpy(made, x, Bytes, cudaMemcpyHostToDevice)); // @assign.made
  CHECK(cudaMemcpy(kept, y, Bytes, cudaMemcpyHostToDevice)); // @assign.kept
  CHECK(cudaFree(made));
  made = kept;
  return made;
}

static float *theSame(const float *x) {
  if (!x)
    return nullptr;
  float *made = nullptr;
  CHECK(cudaMalloc((void **)&made, Bytes));
  CHECK(cudaMemcpy(made, x, Bytes, cudaMemcpyHostToDevice)); // @same.made
  return made;
}

int main() {
  std::vector<float> h_x(1024), h_y(1024), back(1024);
  for (int i = 0; i < 1024; ++i)
    h_x[i] = float(i), h_y[i] = float(-i);
#ifdef FIXED
  constexpr int Times = 1;
#else
  constexpr int Times = 4;
#endif
  for (int i = 0; i < Times; ++i) {
    float *two = oneOfTwo(h_x.data(), h_y.data());  // @oneoftwo
    float *other = swapped(h_x.data(), h_y.data()); // @swapped
    float *last = assigned(h_x.data(), h_y.data()); // @assigned
    float *same = theSame(h_x.data());              // @thesame
    for (float *each : {two, other, last, same}) {
      CHECK(cudaMemcpy(back.data(), each, Bytes, cudaMemcpyDeviceToHost));
      CHECK(cudaFree(each));
    }
    printf("%g\n", back[3]);
  }
}
