// A library that is not instrumented; only some programs open it.
// SPDX-License-Identifier: Apache-2.0
#include "unseen_calls.h"
