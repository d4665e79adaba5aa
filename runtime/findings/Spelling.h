// What calls and types say by the way they are spelled.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_FINDINGS_SPELLING_H
#define GPUINSTR_FINDINGS_SPELLING_H

#include "calls/sites/Sites.h"
#include <string>

namespace gpuinstr {

/// What a copy copies from; "" unknown.
std::string copySource(const gpuinstr_site *site);

/// Size of a fundamental or CUDA vector type, 0 unknown.
uint64_t typeSize(const std::string &type);

} // namespace gpuinstr

#endif
