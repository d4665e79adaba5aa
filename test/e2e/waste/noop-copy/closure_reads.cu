// Uploads before each launch of a closure that reads them and writes other memory.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@../../Inputs/closure_filter.h:weights variable=d_weights
// EXPECT-NO[twin]: *
#include "../../Inputs/closure_filter.h"
