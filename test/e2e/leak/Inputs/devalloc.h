// A project's device allocator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dev {
void *allocate(std::size_t bytes);
bool release(void *block);
} // namespace dev
