// Templates that return what a function of another file allocates: the rows are their users'.
// SPDX-License-Identifier: Apache-2.0
// WITH: Inputs/arrays.cpp
// TWIN: FIXED
// EXPECT: leak proven variable=lost function=main line=@lost count=1 bytes=256
// EXPECT: leak proven variable=table function=main line=@table count=1 bytes=480
// EXPECT-ALL
// EXPECT-SITE[both]: kind=alloc line=@lost via=@Inputs/arrays.cpp:malloc calls=1
// EXPECT-SITE[both]: kind=alloc line=@kept via=@Inputs/arrays.cpp:malloc calls=1
// EXPECT-SITE[both]: kind=alloc line=@table via=@Inputs/arrays.cpp:malloc calls=1
// EXPECT-NO-SITE[both]: kind=alloc file=*/arrays.h
#include "Inputs/arrays.h"

#include <stdio.h>

int main() {
  float *kept = arrays::create<float>(16);        // @kept
  float *lost = arrays::create<float>(64);        // @lost
  double *table = arrays::createOf<double>(6, 10); // @table
  arrays::destroy(kept);
#ifdef FIXED
  arrays::destroy(lost);
  arrays::destroy(table);
#endif
  printf("%d\n", lost != nullptr && table != nullptr);
}
