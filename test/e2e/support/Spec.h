// What a test program's comments expect, read from its source.
// SPDX-License-Identifier: Apache-2.0
//
// One directive a line: `// KEYWORD[tags]: text`. README.md beside this folder lists them all. A
// keyword, field, tag or finding id that is not known is an error: no check may pass because it was
// misspelled.
#ifndef GPUINSTR_TEST_E2E_SPEC_H
#define GPUINSTR_TEST_E2E_SPEC_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace gpuinstr::e2e {

/// What a matching directive looks at.
enum class Subject {
  Finding,
  Total,
  Site,
  Process,
  Device,
  Peak,
  Allocated,
  StartUp,
  Holder,
  Image,
  Suppression,
};

enum class Kind {
  Match,     ///< an object of the subject with all conditions exists
  NoMatch,   ///< no such object exists
  Clean,     ///< no proven and no likely finding
  All,       ///< no proven or likely finding but the expected ones
  Note,      ///< text in a coverage note
  Profiles,  ///< number of profiles written
  Exit,      ///< exit code or "signal N" of the instrumented program
  PlainExit, ///< the same of the plain program, where they differ
  Stdout,
  NoStdout,
  Stderr,
  NoStderr,
  Report,
  NoReport,
  File, ///< a file in the scratch folder
  NoFile,
  Silent, ///< no profile, no report, nothing on stderr that plain does not print
};

/// `key=value`, `key>=value` or `key<=value`.
struct Condition {
  std::string key;
  char op = '='; ///< '=', '>' (at least) or '<' (at most)
  std::string value;
  std::string file;   ///< for line tags: base name of the file that holds the tag
  int64_t number = 0; ///< for line tags: the line
};

struct Expectation {
  Kind kind = Kind::Match;
  Subject subject = Subject::Finding;
  std::vector<Condition> conditions;
  std::string text;   ///< the text form, trimmed
  unsigned line = 0;  ///< where the directive stands
  bool child = false; ///< about the other processes' profiles, not the main one's
};

/// How the program is run.
struct RunSettings {
  std::vector<std::string> environment; ///< NAME=value, after %t and %S
  std::string options;                  ///< added to json=... report=...
  std::string rawOptions;               ///< instead of them
  bool hasRawOptions = false;
  std::vector<std::string> arguments;
  std::vector<std::string> taken; ///< files that stand in the scratch folder before
  unsigned timeoutSeconds = 60;
  unsigned devices = 1; ///< that the program needs
  bool carried = false; ///< on the simulated device, kernels run or their launches fail
};

struct Spec {
  std::string path;
  std::vector<Expectation> expectations;
  RunSettings run;
  std::string only; ///< "simulator", "gpu" or "" for both
};

/// Reads the directives of \p path that hold under \p tags (target, mode, "twin"). Appends
/// `path:line: message` to \p errors.
Spec readSpec(const std::string &path, const std::set<std::string> &tags,
              std::vector<std::string> &errors);

} // namespace gpuinstr::e2e

#endif
