// Does what the caller's unit does not show.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

void elsewhere(int round) { printf("%d\n", round); }
