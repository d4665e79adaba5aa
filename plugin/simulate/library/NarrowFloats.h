// What the translator of inline PTX and the library's functions for narrow floats agree on.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_LIBRARY_NARROWFLOATS_H
#define GPUINSTR_PLUGIN_SIMULATE_LIBRARY_NARROWFLOATS_H

// C as well: the names are those of a C interface. NOLINTBEGIN(readability-identifier-naming)
enum gpuinstr_narrow_format {
  GPUINSTR_F16,
  GPUINSTR_BF16,
  GPUINSTR_F32,
  GPUINSTR_E4M3, // of the OCP: no infinity, one NaN of each sign
  GPUINSTR_E5M2,
};

/// How a result is rounded: one mode, and what else is asked for.
enum gpuinstr_narrow_how {
  GPUINSTR_NEAREST = 0,
  GPUINSTR_TO_ZERO = 1,
  GPUINSTR_DOWN = 2,
  GPUINSTR_UP = 3,
  GPUINSTR_MODES = 3,
  GPUINSTR_SATURATE = 4, // to [0, 1], NaN to 0
  GPUINSTR_FINITE = 8,   // what is too large becomes the largest number
  GPUINSTR_RELU = 16,    // what is negative becomes 0
  GPUINSTR_NAN = 32,     // of min and max: NaN where an operand is
};
// NOLINTEND(readability-identifier-naming)

#endif
