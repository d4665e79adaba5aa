// Coefficients are uploaded before every launch of a kernel that only reads them. That it does, its
// code shows, under nvcc too.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@../../Inputs/filter_main.h:coefficients variable=d_coefficients count=11 bytes=11MiB
// EXPECT-ALL
// EXPECT-NO[twin]: *
#include "../../Inputs/filter.h"
