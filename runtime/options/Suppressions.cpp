// Rules that take known findings out of the report and out of fail_on.
// SPDX-License-Identifier: Apache-2.0
#include "options/Suppressions.h"
#include "base/text/Glob.h"
#include "base/text/Printable.h"
#include "options/PathPattern.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <system_error>
#include <unistd.h>
#include <unordered_map>

namespace gpuinstr::options {

using profile::Finding;
using profile::Profile;
using profile::Site;

static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static std::string_view trim(std::string_view text) {
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  return text;
}

static std::string_view withoutComment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '#' && (i == 0 || isBlank(line[i - 1])))
      return trim(line.substr(0, i));
  return trim(line);
}

/// Takes "max=N" off the end of `pattern`. Returns what is wrong, "" nothing.
static std::string takeMax(std::string_view &pattern, uint64_t &max) {
  std::size_t blank = pattern.find_last_of(" \t");
  std::string_view last = blank == std::string_view::npos ? pattern : pattern.substr(blank + 1);
  if (last.substr(0, 4) != "max=")
    return "";
  std::string_view digits = last.substr(4);
  if (digits.empty() || digits.size() > 18 ||
      digits.find_first_not_of("0123456789") != std::string_view::npos)
    return "max= needs a number";
  max = std::stoull(std::string(digits));
  pattern = trim(pattern.substr(0, pattern.size() - last.size()));
  return "";
}

/// Returns what is wrong with the line, "" nothing.
static std::string parseRule(std::string_view line, SuppressionRule &rule) {
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    return "expected finding-id:pattern [max=N]";
  rule.text = std::string(line);
  std::string_view id = trim(line.substr(0, colon));
  rule.finding = profile::fromText<profile::Pattern>(id);
  if (rule.finding == profile::Pattern::Unknown)
    return "'" + printable(id, 60) + "' is no finding";
  std::string_view pattern = trim(line.substr(colon + 1));
  if (std::string wrong = takeMax(pattern, rule.max); !wrong.empty())
    return wrong;
  rule.pattern = std::string(pattern);
  return pattern.empty() ? "the pattern is empty" : "";
}

void Suppressions::parse(std::string_view text, std::string_view file,
                         std::vector<std::string> &problems) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF")
    text.remove_prefix(3);
  for (unsigned number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = withoutComment(line);
    if (line.empty())
      continue;
    SuppressionRule rule;
    rule.origin = std::string(file) + ":" + std::to_string(number);
    std::string wrong = parseRule(line, rule);
    if (wrong.empty())
      Rules.push_back(std::move(rule));
    else
      problems.push_back(printable(rule.origin, 200) + ": " + wrong + ": '" + printable(line, 60) +
                         "'; ignored");
  }
}

constexpr std::size_t LongestFile = 16 << 20;
constexpr int PatienceMs = 1000;

static bool isNull(const struct stat &file) {
  return S_ISCHR(file.st_mode) && file.st_rdev == makedev(1, 3);
}

/// What is open there. A pipe is read until its writer ends, which must be soon: the program waits.
static std::string readOpen(int fd, int &error) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(PatienceMs);
  std::string text;
  char buffer[4096];
  while (text.size() <= LongestFile) {
    ssize_t n = ::read(fd, buffer, sizeof(buffer));
    if (n > 0) {
      text.append(buffer, static_cast<std::size_t>(n));
    } else if (n == 0) {
      return text;
    } else if (errno == EAGAIN) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      pollfd waiting{fd, POLLIN, 0};
      if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0) {
        error = ETIMEDOUT;
        return text;
      }
    } else if (errno != EINTR) {
      error = errno;
      return text;
    }
  }
  error = EFBIG;
  return text;
}

/// The whole file, or errno in `error`. It is read at exit, so nothing may hold it up: a pipe
/// without a writer is empty, and a terminal or another device is none of ours to read.
static std::string readFile(const std::string &file, int &error) {
  int fd = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat is;
  if (fd < 0 || ::fstat(fd, &is) != 0) {
    error = errno;
    return "";
  }
  std::string text;
  if (S_ISREG(is.st_mode) || S_ISFIFO(is.st_mode) || isNull(is))
    text = readOpen(fd, error);
  else
    error = S_ISDIR(is.st_mode) ? EISDIR : EINVAL;
  ::close(fd);
  return text;
}

bool Suppressions::load(const std::string &file, std::vector<std::string> &problems) {
  int error = 0, savedErrno = errno;
  std::string text = readFile(absolutePath(file), error);
  errno = savedErrno;
  if (error) {
    problems.push_back("suppressions='" + printable(file, 200) +
                       "': " + std::error_code(error, std::generic_category()).message());
    return false;
  }
  parse(text, file, problems);
  return true;
}

std::string suppressionKey(const Finding &finding, const Site *site) {
  return site && !site->function.empty() ? site->function + ":" + finding.variable : "";
}

std::string suppressionKey(const Finding &finding, const Site *site, const Site *caller) {
  std::string key = suppressionKey(finding, site);
  bool called = caller && caller != site && !caller->function.empty();
  return key.empty() || !called ? key : key + " from " + caller->function;
}

static bool matchesKey(const SuppressionRule &rule, const std::string &key) {
  return !key.empty() && globMatch(rule.pattern, key);
}

static bool matchesSite(const SuppressionRule &rule, const Finding &finding, const Site *site) {
  return site &&
         (globMatch(rule.pattern, site->function) || globMatchFile(rule.pattern, site->file) ||
          matchesKey(rule, suppressionKey(finding, site)));
}

using Lookup = std::function<const Site *(const std::string &)>;

static bool matches(const SuppressionRule &rule, const Finding &finding, const Lookup &find) {
  if (finding.pattern != rule.finding)
    return false;
  const Site *site = find(finding.site), *caller = find(finding.caller);
  if ((!finding.variable.empty() && globMatch(rule.pattern, finding.variable)) ||
      matchesSite(rule, finding, site) || matchesKey(rule, suppressionKey(finding, site, caller)))
    return true;
  for (const std::string &id : site ? site->via : std::vector<std::string>())
    if (matchesSite(rule, finding, find(id)))
      return true;
  for (unsigned i = 0; caller && i < 4; ++i, caller = find(caller->caller))
    if (matchesSite(rule, finding, caller))
      return true;
  return false;
}

void Suppressions::apply(Profile &profile) const {
  std::unordered_map<std::string_view, const Site *> byId;
  for (const Site &site : profile.sites)
    byId.emplace(site.id, &site);
  auto find = [&](const std::string &id) -> const Site * {
    auto it = byId.find(id);
    return id.empty() || it == byId.end() ? nullptr : it->second;
  };
  profile.suppressions.clear();
  for (const SuppressionRule &rule : Rules)
    profile.suppressions.push_back({rule.text, rule.origin, 0, 0});
  std::vector<uint64_t> counts(Rules.size()); // of all findings that a rule took
  for (Finding &finding : profile.findings) {
    if (finding.suppressed)
      continue;
    for (std::size_t i = 0; i < Rules.size() && !finding.suppressed; ++i) {
      const SuppressionRule &rule = Rules[i];
      if (!matches(rule, finding, find))
        continue;
      if (finding.count > rule.max - std::min(counts[i], rule.max)) {
        ++profile.suppressions[i].exceeded;
        continue;
      }
      counts[i] += finding.count;
      finding.suppressed = true;
      finding.suppression = rule.text;
      ++profile.suppressions[i].used;
    }
  }
}

void applySuppressions(const std::string &file, Profile &profile,
                       std::vector<std::string> &problems) {
  if (file.empty())
    return;
  Suppressions suppressions;
  suppressions.load(file, problems);
  suppressions.apply(profile);
}

std::vector<profile::Suppression> unusedSuppressions(const Profile &profile) {
  std::vector<profile::Suppression> unused;
  for (const profile::Suppression &rule : profile.suppressions)
    if (rule.used == 0 && rule.exceeded == 0)
      unused.push_back(rule);
  return unused;
}

} // namespace gpuinstr::options
