// Uploads before each launch of a closure that may write them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT-NO: noop-copy proven
// EXPECT: noop-copy likely function=main line=@../../Inputs/closure_filter.h:weights variable=d_weights
#define WRITES
#include "../../Inputs/closure_filter.h"
