// Output paths: patterns, parent folders, and files that no other process loses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_OPTIONS_PATHPATTERN_H
#define GPUINSTR_OPTIONS_PATHPATTERN_H

#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::options {

/// Expands %p pid, %h host, %r rank (p<pid> without a launcher), %q{VAR} and %%. An unknown
/// sequence stays as it is, and an unset VAR is empty: one line each in `problems` (may be null).
std::string expandPath(std::string_view pattern, std::vector<std::string> *problems = nullptr);

/// At the start of the process: what relative paths are relative to, wherever it goes later.
void rememberStartFolder();
std::string absolutePath(const std::string &path);

/// Whether all processes of a run have the same name for their file. A forked child leaves such a
/// name to its parent while that lives, and takes NAME.PID.
enum class Naming { OfAll, OfOneProcess };
Naming namingOf(std::string_view pattern);

struct WrittenFile {
  std::string path;  ///< the name taken in the end
  std::string error; ///< one line, "" on success
};

/// Writes `content` to `path` (already expanded). Parent folders are made. A name that exists and
/// is not this process's own becomes path.PID, then path.PID.1 ...; a second call with the same
/// path in the same process replaces the first file atomically. Devices, pipes and sockets are
/// written to as they are, waiting at most a second for a reader; `-` is stdout. Keeps errno.
WrittenFile writeFile(const std::string &path, std::string_view content,
                      Naming naming = Naming::OfAll);

/// In a forked child: no file is its own yet, and a thread of the parent's that was just writing
/// one is not there to let go of the lock.
void forgetWrittenFiles();

/// Creates `path` (already expanded) for appending, with parents and other names as writeFile does.
/// The descriptor; -1 and a line in `error`. `taken` is the name in the end. Regular files and
/// /dev/null only.
int openNewFile(const std::string &path, std::string &taken, std::string &error,
                Naming naming = Naming::OfAll);

} // namespace gpuinstr::options

#endif
