// Profiles and other files, read and written whole.
// SPDX-License-Identifier: Apache-2.0
#include "Files.h"
#include "Command.h"
#include "Merge.h"
#include "profile/Json.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuinstr::cli {

namespace fs = std::filesystem;

static Failure because(const std::string &file, int error) {
  return Failure(file + ": " + std::strerror(error));
}

std::string readText(const std::string &file) {
  if (file == "-")
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0)
    throw because(file, errno);
  std::string text;
  // A pipe has no size: then it grows as it is read.
  text.resize(S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 65536);
  std::size_t used = 0;
  ssize_t n = 0;
  while ((n = ::read(fd, &text[used], text.size() - used)) > 0 || (n < 0 && errno == EINTR)) {
    used += n > 0 ? static_cast<std::size_t>(n) : 0;
    if (used == text.size())
      text.resize(2 * text.size());
  }
  int error = errno;
  ::close(fd);
  if (n < 0)
    throw because(file, error);
  text.resize(used);
  return text;
}

void writeText(const std::string &file, std::string_view text) {
  if (file.empty() || file == "-") {
    std::cout << text << std::flush;
    if (!std::cout)
      throw Failure("cannot write to the standard output");
    return;
  }
  bool special = fs::exists(file) && !fs::is_regular_file(file);
  std::string beside = special ? file : file + ".tmp" + std::to_string(::getpid());
  std::FILE *out = std::fopen(beside.c_str(), "we");
  bool good = out && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  int error = errno;
  if (out && std::fclose(out) != 0) {
    error = errno;
    good = false;
  }
  if (good && !special && std::rename(beside.c_str(), file.c_str()) != 0) {
    error = errno;
    good = false;
  }
  if (good)
    return;
  if (out && !special)
    std::remove(beside.c_str());
  throw because(file, error);
}

profile::Profile loadProfile(const std::string &file) {
  profile::Profile profile;
  std::string error;
  if (!profile::fromJson(readText(file), profile, error))
    throw Failure(file + ": no profile: " + error);
  return profile;
}

bool naturalLess(std::string_view a, std::string_view b) {
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  auto number = [&](std::string_view &text) {
    std::size_t n = 0;
    while (n < text.size() && digit(text[n]))
      ++n;
    std::string_view digits = text.substr(0, n);
    text.remove_prefix(n);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  };
  std::string_view x = a, y = b;
  while (!x.empty() && !y.empty()) {
    if (digit(x[0]) && digit(y[0])) {
      std::string_view m = number(x), n = number(y);
      if (m != n)
        return m.size() != n.size() ? m.size() < n.size() : m < n;
    } else if (x[0] != y[0]) {
      return x[0] < y[0];
    } else {
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  return x.size() != y.size() ? x.size() < y.size() : a < b;
}

std::vector<std::string> profileFiles(const std::vector<std::string> &given) {
  std::vector<std::string> files;
  for (const std::string &name : given) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    std::size_t before = files.size();
    for (const fs::directory_entry &entry : fs::directory_iterator(name, error))
      if (entry.path().filename().string().find(".json") != std::string::npos)
        files.push_back(entry.path().string());
    if (error)
      throw Failure(name + ": " + error.message());
    if (files.size() == before)
      throw Failure(name + ": no *.json in this folder");
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(), naturalLess);
  }
  return files;
}

profile::Profile loadAll(const std::vector<std::string> &given) {
  std::vector<std::string> files = profileFiles(given);
  return files.size() == 1 ? loadProfile(files[0]) : mergeFiles(files);
}

Progress::Progress(std::string what, std::size_t total)
    : What(std::move(what)), Total(total), On(::isatty(2) == 1 && total > 100) {}

void Progress::at(std::size_t done) {
  if (!On || (done != Total && done < Shown + Total / 100 + 1))
    return;
  Shown = done;
  std::fprintf(stderr, "\r%s: %zu of %zu", What.c_str(), done, Total);
  std::fflush(stderr);
}

Progress::~Progress() {
  if (On && Shown)
    std::fprintf(stderr, "\r\033[K");
}

} // namespace gpuinstr::cli
