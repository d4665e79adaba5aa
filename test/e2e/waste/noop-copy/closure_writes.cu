// Uploads before each launch of a closure that may write them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT-NO: noop-copy proven
// EXPECT: noop-copy likely function=main line=@../../Inputs/filter_main.h:coefficients variable=d_coefficients
#define WRITES
#include "../../Inputs/closure_filter.h"
