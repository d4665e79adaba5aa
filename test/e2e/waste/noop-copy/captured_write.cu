// Uploads before each launch of a kernel whose closure may write them, by what it copied of a
// reference.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT: noop-copy likely function=main line=@../../Inputs/filter_main.h:coefficients variable=d_coefficients count=11 bytes=11MiB
// EXPECT-ALL
#define WRITES
#include "../../Inputs/captured_filter.h"
