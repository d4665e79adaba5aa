// A library that was built without gpuinstr.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

void *foreignAllocate(std::size_t bytes);
int foreignRelease(void *block);
int foreignFill(void *block, std::size_t bytes);
