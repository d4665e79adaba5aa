// only=GLOB limits what is timed and reported; the ledger sees all.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: only=solve*
// EXPECT-SITE: line=@inside calls=2
// EXPECT-NOTE: left out, neither timed nor reported: 2 call sites (only=solve*)
// EXPECT-NO-SITE: line=@outside calls>=1
// EXPECT: leak proven variable=d_field function=solve line=@alloc count=1
// EXPECT-NO: double-free
// EXPECT-NO: invalid-free
#include "../Inputs/check.h"

static void clear(void *d_any) {
  CHECK(cudaMemset(d_any, 0, 512)); // @outside
}

static void release(void *d_any) { CHECK(cudaFree(d_any)); }

static void solve() {
  void *d_field = nullptr;
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMalloc(&d_field, 512)); // @alloc
    CHECK(cudaMemset(d_field, 1, 512)); // @inside
    clear(d_field);
    if (i == 0)
      release(d_field);
  }
}

int main() {
  solve();
  puts("done");
}
