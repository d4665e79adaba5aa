// What comes next behind the wait stands in another file: a free of device memory, first thing in a
// destructor or behind a test that may end the function; or one of two functions. Silent: where the
// function may have ended without a call of CUDA's before, a clock was read, and it is called again;
// and where one of the two reads a clock.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// WITH: Inputs/steps.cu
// TWIN: FIXED
// EXPECT: needless-sync advice line=@Inputs/steps.cu:halved count=10
// EXPECT: needless-sync advice line=@Inputs/steps.cu:doubled count=10
// EXPECT: needless-sync advice line=@Inputs/steps.cu:squared count=5 related=@first
// EXPECT: needless-sync advice line=@Inputs/steps.cu:squared count=5 related=@second
// EXPECT: needless-sync advice line=@Inputs/steps.cu:lowered count=10
// EXPECT-NO: needless-sync line=@Inputs/steps.cu:raised
// EXPECT-NO: needless-sync line=@Inputs/steps.cu:rounded
// EXPECT-NO[twin]: needless-sync line=@Inputs/steps.cu:halved
// EXPECT-NO[twin]: needless-sync line=@Inputs/steps.cu:lowered
#include "../../Inputs/check.h"
#include "Inputs/steps.h"

#include <cuda_runtime.h>
#include <time.h>

constexpr int N = 1 << 12;

static void freesNext() {
  Vector v(N);
  halved(v);
}

static void assignsNext(Vector &to) {
  Vector v(N);
  doubled(v);
  to = v;
  shifted(to);
}

static void oneOfTwo(Vector &v, bool first) {
  squared(v);
  if (first)
    begin(v, 1); // @first
  else
    beginSome(v, 2); // @second
}

static void someOnce(Vector &v, int what) {
  lowered(v);
  beginSome(v, what);
}

static float someInTurn(Vector &v) {
  raised(v);
  float last = 0;
  for (int i = 0; i < 2; ++i) {
    beginSome(v, i); // nothing at first
    last = float(clock());
  }
  return last;
}

static float oneTellsTheTime(Vector &v, bool first) {
  rounded(v);
  if (first)
    return beginNow(v);
  begin(v, 1);
  return 0;
}

int main() {
  Vector v(N);
  shifted(v);
  float last = 0;
  for (int i = 0; i < 10; ++i)
    freesNext();
  for (int i = 0; i < 10; ++i)
    assignsNext(v);
  for (int i = 0; i < 10; ++i)
    oneOfTwo(v, i % 2);
  for (int i = 0; i < 10; ++i)
    someOnce(v, 1);
  for (int i = 0; i < 10; ++i)
    last = someInTurn(v);
  for (int i = 0; i < 10; ++i)
    last = oneTellsTheTime(v, true);
  float x = 0;
  CHECK(cudaMemcpy(&x, v.data, sizeof(x), cudaMemcpyDeviceToHost));
  printf("%g %d\n", x, last == last);
}
