// Uploads before each launch of a functor that reads them and writes other memory.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@../../Inputs/filter_main.h:coefficients variable=d_coefficients
// EXPECT-NO[twin]: *
#include "../../Inputs/functor_filter.h"
