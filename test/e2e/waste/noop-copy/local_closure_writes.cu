// Uploads before each launch of a kernel whose closure, which captures by reference, may write them.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// EXPECT-NO: noop-copy proven
// EXPECT: noop-copy likely function=main line=@../../Inputs/filter_main.h:coefficients variable=d_coefficients
#define WRITES
#include "../../Inputs/local_closure.h"
