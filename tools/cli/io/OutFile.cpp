// A file that takes its place only when it is whole.
// SPDX-License-Identifier: Apache-2.0
#include "io/OutFile.h"
#include "io/Failure.h"
#include "io/Files.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace gpuinstr::cli {

OutFile::OutFile(const std::string &path) : Path(path) {
  if (path == "-") {
    File = stdout;
    return;
  }
  refuseInput(path);
  std::error_code error;
  // /dev/null must not be replaced by a file.
  Special = std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  Beside = Special ? path : path + "." + std::to_string(::getpid()) + ".tmp";
  File = std::fopen(Beside.c_str(), "wbe");
  if (!File)
    throw Failure(path + ": " + std::strerror(errno));
}

OutFile::~OutFile() {
  if (File && File != stdout) {
    std::fclose(File);
    if (!Special)
      std::remove(Beside.c_str());
  }
}

void OutFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), File) != text.size())
    throw Failure(Path + ": " + std::strerror(errno));
}

void OutFile::commit() {
  if (File == stdout) {
    if (std::fflush(stdout) != 0)
      throw Failure(std::string("standard output: ") + std::strerror(errno));
    return;
  }
  int failed = std::fclose(File);
  File = nullptr;
  if (failed || (!Special && std::rename(Beside.c_str(), Path.c_str()) != 0)) {
    int error = errno;
    if (!Special)
      std::remove(Beside.c_str());
    throw Failure(Path + ": " + std::strerror(error));
  }
}

} // namespace gpuinstr::cli
