// Included by the host alone.
// SPDX-License-Identifier: Apache-2.0
#undef BETWEEN
#define BETWEEN(x) x = 1
