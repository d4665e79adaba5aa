// What the data of a loaded image tell of the code in it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CODE_IMAGEDATA_H
#define GPUINSTR_CALLS_CODE_IMAGEDATA_H

#include "calls/code/KnownCode.h"
#include <functional>
#include <link.h>

namespace gpuinstr {

/// Its constants name CUDA's libraries: what a statically linked runtime does, and who looks up
/// CUDA's functions by name.
bool namesCuda(const dl_phdr_info &image);
/// ... beside those that the loader loads for it.
bool namesCudaItself(const dl_phdr_info &image);
/// Of these, the driver, as every CUDA runtime does.
bool namesDriverItself(const dl_phdr_info &image);

/// Calls found(where, value) for each word in [low, high] of its data, as the program may have them
/// when it starts: where the loader puts addresses, and all where the image has a fixed place. Not
/// for words in `skipped`.
void eachWord(const dl_phdr_info &image, uint64_t low, uint64_t high,
              const std::vector<Range> &skipped,
              const std::function<void(uint64_t where, uint64_t value)> &found);

} // namespace gpuinstr

#endif
