// Built without the plugin.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

void allocateUnseen(void (*allocate)(void **, size_t), void **out) { allocate(out, 128); }
