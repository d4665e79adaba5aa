// Uploads before each launch of a kernel that only reads them, by what its closure copied of a
// reference.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@../../Inputs/filter_main.h:coefficients variable=d_coefficients count=11 bytes=11MiB
// EXPECT-ALL
// EXPECT-NO[twin]: *
#include "../../Inputs/captured_filter.h"
