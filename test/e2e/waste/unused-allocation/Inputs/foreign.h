// A library that is not instrumented.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

void foreignClear(void *d_memory, size_t bytes);
