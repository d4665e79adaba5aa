// Functions of numbers; the unit that calls them does not show how they make theirs.
// SPDX-License-Identifier: Apache-2.0
#include <time.h>

int divideUp(int n, int by) { return (n + by - 1) / by; }

/// A stop watch's.
int lapOf(int watch) { return watch + (clock() < 0); }
