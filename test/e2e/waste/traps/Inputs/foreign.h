// A library that is not instrumented.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

void foreignSet(void *d_memory, int value, size_t bytes);
void *foreignAllocate(size_t bytes);
void foreignFree(void *d_memory);
void *foreignSymbol(const void *symbol);
