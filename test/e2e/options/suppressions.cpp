// A suppressions file: by function, by variable with a limit, and rules that match nothing.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: suppressions=%S/Inputs/known.supp fail_on=leak
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven variable=d_old line=@old suppressed=1 suppression=leak:legacyUpload*
// EXPECT: leak proven variable=d_cache line=@few count=2 suppressed=1
// EXPECT: leak proven variable=d_cache_large line=@many count=3 suppressed=0
// EXPECT-ALL
// EXPECT-SUPPRESSION: rule=leak:legacyUpload origin=*known.supp:2 used=1
// EXPECT-SUPPRESSION: rule=ignored-error:neverHappens origin=*known.supp:4 used=0
// EXPECT-SUPPRESSION: rule=leak:notHere.cpp origin=*known.supp:5 used=0
// EXPECT-REPORT: SUPPRESSED 2
// EXPECT-REPORT: ignored-error:neverHappens
// EXPECT-REPORT: leak:notHere.cpp
// EXPECT-NO-REPORT: leak *d_old
#include "../Inputs/check.h"

static void legacyUpload() {
  void *d_old;
  CHECK(cudaMalloc(&d_old, 1024)); // @old
}

int main() {
  legacyUpload();
  for (int i = 0; i < 2; ++i) {
    void *d_cache;
    CHECK(cudaMalloc(&d_cache, 256)); // @few
  }
  for (int i = 0; i < 3; ++i) {
    void *d_cache_large;
    CHECK(cudaMalloc(&d_cache_large, 512)); // @many
  }
  puts("done");
}
