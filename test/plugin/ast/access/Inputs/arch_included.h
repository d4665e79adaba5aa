// Included for the device alone.
// SPDX-License-Identifier: Apache-2.0
#define ARCH_INCLUDED 1
