// What comes next behind the wait only launches, in another file. Silent: where a clock is read
// there before; where the function may have launched nothing, a clock was read, and it is called
// again; and where another function launches.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// WITH: Inputs/steps.cu
// TWIN: FIXED
// EXPECT: needless-sync advice line=@one count=10
// EXPECT: needless-sync advice line=@other count=10
// EXPECT: needless-sync advice line=@once count=10
// EXPECT: needless-sync advice line=@then count=10
// EXPECT-NO: needless-sync line=@now
// EXPECT-NO: needless-sync line=@again
// EXPECT-NO: needless-sync line=@clock
// EXPECT-NO[twin]: needless-sync line=@one
// EXPECT-NO[twin]: needless-sync line=@then
#include "../../Inputs/check.h"
#include "Inputs/steps.h"

#include <cuda_runtime.h>
#include <time.h>

constexpr int N = 1 << 12, Rounds = 10;

#ifdef FIXED
#define WAIT()
#else
#define WAIT() CHECK(cudaDeviceSynchronize())
#endif

static void inTurn(Vector &v) {
  for (int i = 0; i < Rounds; ++i) {
    shifted(v);
    WAIT(); // @one
    shifted(v);
    WAIT(); // @other
    shiftedTwice(v);
  }
}

static void someOnce(Vector &v, int what) {
  for (int i = 0; i < Rounds; ++i) {
    shifted(v);
    WAIT(); // @once
    shiftedSome(v, what);
  }
}

static float behind(Vector &v) {
  float last = 0;
  for (int i = 0; i < Rounds; ++i) {
    shifted(v);
    WAIT(); // @then
    last += shiftedThen(v);
  }
  return last;
}

static float before(Vector &v) {
  float last = 0;
  for (int i = 0; i < Rounds; ++i) {
    shifted(v);
    CHECK(cudaDeviceSynchronize()); // @now
    last += shiftedNow(v);
  }
  return last;
}

static float again(Vector &v) {
  float last = 0;
  for (int i = 0; i < Rounds; ++i) {
    shifted(v);
    CHECK(cudaDeviceSynchronize()); // @again
    for (int j = 0; j < 2; ++j) {
      shiftedSome(v, j); // nothing at first
      last = float(clock());
    }
  }
  return last;
}

static float another(Vector &v) {
  float last = 0;
  for (int i = 0; i < Rounds; ++i) {
    shifted(v);
    CHECK(cudaDeviceSynchronize()); // @clock
    shiftedSome(v, 0);
    last = float(clock());
    shifted(v);
  }
  return last;
}

int main() {
  Vector v(N);
  shifted(v);
  inTurn(v);
  someOnce(v, 1);
  float last = behind(v) + before(v) + again(v) + another(v);
  float x = 0;
  CHECK(cudaMemcpy(&x, v.data, sizeof(x), cudaMemcpyDeviceToHost));
  printf("%g %d\n", x, last == last);
}
