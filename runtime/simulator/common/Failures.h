// Calls that fail because option fail= says so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gpuinstr::sim {

/// `NAME@WHEN=CODE,...`: of the calls whose name matches NAME (`*` is any text) the n-th fails
/// (`3`), all from the n-th on (`3+`), or so many of a hundred, drawn by their number (`5%`).
bool areFailures(const std::string &text);

/// The error that this call is to return, 0 none. Counts it.
int chosenFailure(const char *name);

/// Whether the device is lost with such an error: every later call fails with it, until a reset.
bool isSticky(int code);

} // namespace gpuinstr::sim
