// A libFuzzer target of the one reader that READER names. See tools/fuzz.
// SPDX-License-Identifier: Apache-2.0
#include "Readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gpuinstr::fuzz::READER({reinterpret_cast<const char *>(data), size});
  return 0;
}
