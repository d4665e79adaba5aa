// Where reports go.
// SPDX-License-Identifier: Apache-2.0
#include "process/output/ReportOutput.h"
#include "base/system/Environment.h"
#include "base/text/Stderr.h"
#include "options/Options.h"
#include "options/PathPattern.h"
#include "options/Suppressions.h"
#include "process/output/ReportLook.h"
#include "profile/Json.h"
#include "report/Style.h"
#include "report/TextReport.h"
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace gpuinstr {

namespace {

bool isPath(const std::string &sink) { return !sink.empty() && sink != "stderr" && sink != "off"; }

void tell(const std::vector<std::string> &problems) {
  for (const std::string &problem : problems)
    writeToStderr("gpuinstr: " + problem + "\n");
}

/// "" when it could not be written.
std::string writeTo(const std::string &pattern, std::string_view content) {
  std::vector<std::string> problems;
  std::string path = options::expandPath(pattern, &problems);
  options::WrittenFile written = options::writeFile(path, content, options::namingOf(pattern));
  if (!written.error.empty())
    problems.push_back(written.error);
  tell(problems);
  return written.error.empty() ? written.path : std::string();
}

/// `gpuinstr run` must know whether anything was watched. Of a set-uid program it does not: whoever
/// starts that could name a file that only its owner may write.
void tellRun(const profile::Profile &profile) {
  const char *witness = trustedVariable("GPUINSTR_RUN_WITNESS");
  int fd = witness && *witness && profile.cuda_used
               ? ::open(witness, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY)
               : -1;
  if (fd < 0)
    return;
  std::string_view word = profile::withoutGpu(profile) ? "no GPU\n" : "watched\n";
  if (::write(fd, word.data(), word.size()) < 0) {
    // It will say that nothing was watched: the safe side.
  }
  ::close(fd);
}

} // namespace

std::string writeJson(profile::Profile &profile) {
  const options::Options &options = options::options();
  std::vector<std::string> problems;
  options::applySuppressions(options.suppressions, profile, problems);
  tell(problems);
  return options.json.empty() ? std::string() : writeTo(options.json, profile::toJson(profile));
}

report::ReportStyle detectStyle(int fd, const options::Options &options) {
  report::ReportStyle style = report::styleOf(options, fd);
  style.jsonPattern = options.json;
  if (isPath(options.report))
    style.reportPattern = options.report;
  return style;
}

void writeReports(profile::Profile &profile) {
  const options::Options &options = options::options();
  std::string jsonPath = writeJson(profile);
  tellRun(profile);
  if (options.report == "off")
    return;
  bool toFile = isPath(options.report);
  report::ReportStyle style = detectStyle(toFile ? -1 : STDERR_FILENO, options);
  style.jsonPath = jsonPath;
  std::string text = report::render(profile, style);
  if (toFile)
    writeTo(options.report, text);
  else
    writeToStderr(text);
}

} // namespace gpuinstr
