// A file that takes its place only when it is whole.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_IO_OUTFILE_H
#define GPUINSTR_CLI_IO_OUTFILE_H

#include <cstdio>
#include <string>
#include <string_view>

namespace gpuinstr::cli {

/// A file that takes its place only when it is whole: committed, or removed. Throws Failure.
class OutFile {
public:
  explicit OutFile(const std::string &path); ///< "-": the standard output
  ~OutFile();
  void write(std::string_view text);
  void commit();
  const std::string &name() const { return Beside; } ///< until then
  std::FILE *handle() { return File; }

private:
  std::string Path, Beside;
  bool Special = false; ///< a device or pipe: written where it is
  std::FILE *File = nullptr;
};

} // namespace gpuinstr::cli

#endif
