// Files, read and written whole.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_IO_FILES_H
#define GPUINSTR_CLI_IO_FILES_H

#include <string>
#include <string_view>

namespace gpuinstr::cli {

/// The whole file, "-" is the standard input. Throws Failure.
std::string readText(const std::string &file);

/// Writes to a file beside it and renames, so that a reader never meets half a file; "-" and ""
/// are the standard output. Throws Failure.
void writeText(const std::string &file, std::string_view text);

/// Remembers a file that is read, for those that are not read whole.
void noteInput(const std::string &file);
/// At the end of a command.
void forgetInputs();
/// Throws Failure where one that was read would be written over.
void refuseInput(const std::string &file);

} // namespace gpuinstr::cli

#endif
