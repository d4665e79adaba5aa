// The kernel could write the coefficients that are uploaded before each launch: the same bytes again
// prove nothing then, by whatever compiler.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT: noop-copy likely function=main line=@../../Inputs/filter_main.h:coefficients variable=d_coefficients count=11 bytes=11MiB
// EXPECT-ALL
#define WRITES
#include "../../Inputs/filter.h"
