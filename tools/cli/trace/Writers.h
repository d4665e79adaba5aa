// Writers of docs/Formats.md.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_TRACE_WRITERS_H
#define GPUINSTR_CLI_TRACE_WRITERS_H

#include <string>

namespace gpuinstr::cli {

class Timeline;

// Each throws Failure. "-" is the standard output, where the format can be written to a pipe.
void writePerfetto(Timeline &timeline, const std::string &path);
void writeChrome(Timeline &timeline, const std::string &path);
void writeSqlite(Timeline &timeline, const std::string &path);
void writeTraceCsv(Timeline &timeline, const std::string &path);
void writeParquet(Timeline &timeline, const std::string &path);

} // namespace gpuinstr::cli

#endif
