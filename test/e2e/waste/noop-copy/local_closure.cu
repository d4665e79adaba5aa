// Uploads before each launch of a kernel that reads them, and writes other memory, by closures that capture by reference.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// TWIN: FIXED
// EXPECT: noop-copy proven function=main line=@../../Inputs/filter_main.h:coefficients variable=d_coefficients
// EXPECT-NO[twin]: *
#include "../../Inputs/local_closure.h"
