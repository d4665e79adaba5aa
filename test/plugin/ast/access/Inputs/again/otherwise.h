// Included by the host alone.
// SPDX-License-Identifier: Apache-2.0
#undef OTHERWISE
#define OTHERWISE(x) (void)x
