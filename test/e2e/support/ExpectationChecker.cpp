// Compares what a program did with what its source expects.
// SPDX-License-Identifier: Apache-2.0
#include "ExpectationChecker.h"
#include "Text.h"
#include "View.h"

#include <algorithm>

namespace gpuinstr::e2e {
namespace {

using nlohmann::json;

class ExpectationChecker {
public:
  ExpectationChecker(const Spec &spec, const Observed &observed, bool twin)
      : spec(spec), observed(observed), twin(twin) {
    for (const ProfileFile &file : observed.profiles)
      if (isMain(file))
        main = &file;
      else
        children.push_back(&file);
  }

  std::vector<std::string> run() {
    checkEnd();
    for (const ProfileFile &file : observed.profiles)
      checkIntegrity(file);
    for (const Expectation &e : spec.expectations)
      check(e);
    if (has(Kind::All))
      checkUnclaimed();
    if (twin && !has(Kind::Silent))
      if (const ProfileFile *file = mainProfile(0))
        checkClean(*file, 0);
    return std::move(messages);
  }

private:
  bool isMain(const ProfileFile &file) const {
    const json &p = file.profile;
    return observed.run.pid == 0 ||
           (p.contains("process") && p["process"].value("pid", int64_t(0)) == observed.run.pid);
  }

  bool has(Kind kind) const {
    return std::any_of(spec.expectations.begin(), spec.expectations.end(),
                       [&](const Expectation &e) { return e.kind == kind; });
  }

  const Expectation *find(Kind kind) const {
    for (const Expectation &e : spec.expectations)
      if (e.kind == kind)
        return &e;
    return nullptr;
  }

  void fail(unsigned line, const std::string &message) {
    messages.push_back(spec.path + ":" + std::to_string(line) + ": " + message);
  }

  /// Exit codes, and what the plain program printed.
  void checkEnd() {
    const Expectation *wanted = find(Kind::Exit), *plainWanted = find(Kind::PlainExit);
    std::string exit = wanted ? wanted->text : "0";
    if (observed.run.ended != exit)
      fail(wanted ? wanted->line : 0, "the program ended with " + observed.run.ended +
                                          ", expected " + exit + "\n" +
                                          indent("stderr: ", observed.run.err));
    if (!observed.plain)
      return;
    std::string plainExit = plainWanted ? plainWanted->text : exit;
    if (observed.plain->ended != plainExit)
      fail(plainWanted ? plainWanted->line : 0,
           "the plain program ended with " + observed.plain->ended + ", expected " + plainExit);
    if (observed.plain->out != observed.run.out)
      fail(0, "stdout differs from the plain program's\n" + indent("- ", observed.plain->out) +
                  indent("+ ", observed.run.out));
    bool ownLines = spec.run.hasRawOptions || has(Kind::Stderr) || has(Kind::NoStderr);
    if ((!ownLines || has(Kind::Silent)) && observed.plain->err != observed.run.err)
      fail(0, "stderr differs from the plain program's\n" + indent("- ", observed.plain->err) +
                  indent("+ ", observed.run.err));
  }

  /// What every profile promises.
  void checkIntegrity(const ProfileFile &file) {
    const json &p = file.profile;
    for (const char *key : {"process", "sites", "findings", "devices", "coverage"})
      if (!p.contains(key))
        return fail(0, file.path + ": no '" + key + "'");
    for (const json &finding : p["findings"])
      for (const char *key : {"site", "caller", "related"}) {
        std::string id = finding.value(key, "");
        if ((!id.empty() || std::string(key) == "site") && !siteOf(p, id))
          fail(0, file.path + ": " + key + " '" + id +
                      "' of a finding is no site: " + describe(Subject::Finding, p, finding));
      }
  }

  const ProfileFile *mainProfile(unsigned line) {
    if (!main && !missingReported)
      fail(line, "the program wrote no profile" +
                     std::string(children.empty() ? "" : " (another process did)") + "\n" +
                     indent("stderr: ", observed.run.err));
    missingReported |= !main;
    return main;
  }

  void check(const Expectation &e) {
    switch (e.kind) {
    case Kind::Exit:
    case Kind::PlainExit:
    case Kind::All:
      return;
    case Kind::Silent:
      return checkSilent(e);
    case Kind::Profiles:
      if (int64_t(observed.profiles.size()) != parseNumber(e.text).value_or(-1))
        fail(e.line, std::to_string(observed.profiles.size()) + " profiles, expected " + e.text);
      return;
    case Kind::Stdout:
    case Kind::NoStdout:
      return checkText(e, "stdout", observed.run.out, e.kind == Kind::Stdout);
    case Kind::Stderr:
    case Kind::NoStderr:
      return checkText(e, "stderr", observed.run.err, e.kind == Kind::Stderr);
    case Kind::Report:
    case Kind::NoReport:
      if (!observed.report)
        return fail(e.line, "there is no report");
      return checkText(e, "report", *observed.report, e.kind == Kind::Report);
    case Kind::File:
    case Kind::NoFile:
      return checkFile(e);
    default:
      return checkProfiles(e);
    }
  }

  void checkSilent(const Expectation &e) {
    if (!observed.profiles.empty())
      fail(e.line, "a profile was written: " + observed.profiles.front().path);
    if (observed.report)
      fail(e.line, "a report was written\n" + indent("+ ", *observed.report));
    if (!observed.plain && observed.run.err.find("gpuinstr") != std::string::npos)
      fail(e.line, "not silent\n" + indent("+ ", observed.run.err));
  }

  std::string withPid(const std::string &text) const {
    return replaceAll(text, "%p", std::to_string(observed.run.pid));
  }

  void checkText(const Expectation &e, const char *where, const std::string &text, bool wanted) {
    std::string glob = "*" + replaceAll(withPid(e.text), "\\e", "\x1b") + "*";
    bool found = false;
    for (const std::string &line : splitLines(text))
      found |= globMatches(glob, line);
    if (found != wanted)
      fail(e.line, std::string(where) + (wanted ? " lacks '" : " holds '") + e.text + "'\n" +
                       indent("+ ", text));
  }

  void checkFile(const Expectation &e) {
    std::string glob = withPid(e.text);
    bool found = std::any_of(observed.files.begin(), observed.files.end(),
                             [&](const std::string &f) { return globMatches(glob, f); });
    if (found == (e.kind == Kind::File))
      return;
    std::string list;
    for (const std::string &f : observed.files)
      list += "  + " + f + "\n";
    fail(e.line, (found ? "there is a file '" : "there is no file '") + e.text + "'\n" + list);
  }

  void checkProfiles(const Expectation &e) {
    if (!e.child) {
      if (const ProfileFile *file = mainProfile(e.line))
        checkProfile(e, *file);
      return;
    }
    if (children.empty())
      fail(e.line, "no other process wrote a profile");
    for (const ProfileFile *file : children)
      checkProfile(e, *file);
  }

  void checkProfile(const Expectation &e, const ProfileFile &file) {
    if (e.kind == Kind::Clean)
      return checkClean(file, e.line);
    if (e.kind == Kind::Note)
      return checkNote(e, file);
    if (e.subject == Subject::Total)
      return checkTotal(e, file);
    std::vector<const json *> objects = objectsOf(e.subject, file.profile);
    std::vector<const json *> matching;
    for (const json *object : objects)
      if (matches(e, file.profile, *object))
        matching.push_back(object);
    if (e.kind == Kind::NoMatch) {
      for (const json *object : matching)
        fail(e.line, "unexpected\n  + " + describe(e.subject, file.profile, *object));
      return;
    }
    if (e.subject == Subject::Finding)
      return claim(e, file, objects, matching);
    if (std::optional<int64_t> number = wantedMatches(e)) {
      if (int64_t(matching.size()) != *number)
        fail(e.line, std::to_string(matching.size()) + " match, expected " +
                         std::to_string(*number) + difference(e, file, objects));
    } else if (matching.empty()) {
      fail(e.line, "nothing matches" + difference(e, file, objects));
    }
  }

  static std::optional<int64_t> wantedMatches(const Expectation &e) {
    for (const Condition &c : e.conditions)
      if (c.key == "matches")
        return parseNumber(c.value);
    return std::nullopt;
  }

  /// Each expectation takes one finding, which then serves no other.
  void claim(const Expectation &e, const ProfileFile &file,
             const std::vector<const json *> &objects, const std::vector<const json *> &matching) {
    for (const json *object : matching)
      if (std::find(claimed.begin(), claimed.end(), object) == claimed.end()) {
        claimed.push_back(object);
        return;
      }
    fail(e.line, "no such finding" + difference(e, file, objects));
  }

  /// Programs about bugs allocate memory that they do not use, and write what nobody reads: that is
  /// the matter of those below waste/.
  bool isChecked(const json &finding) const {
    std::string pattern = finding.value("pattern", "");
    bool aboutUse = pattern == "unused-allocation" || pattern == "dead-copy";
    return counts(finding) && (!aboutUse || spec.path.find("/waste/") != std::string::npos);
  }

  void checkUnclaimed() {
    if (!main)
      return;
    for (const json *object : objectsOf(Subject::Finding, main->profile))
      if (isChecked(*object) && std::find(claimed.begin(), claimed.end(), object) == claimed.end())
        fail(find(Kind::All)->line,
             "not expected\n  + " + describe(Subject::Finding, main->profile, *object));
  }

  void checkClean(const ProfileFile &file, unsigned line) {
    for (const json *object : objectsOf(Subject::Finding, file.profile))
      if (isChecked(*object))
        fail(line,
             "expected to be clean\n  + " + describe(Subject::Finding, file.profile, *object));
  }

  void checkNote(const Expectation &e, const ProfileFile &file) {
    std::string all;
    for (const json &note : file.profile["coverage"].value("notes", json::array())) {
      if (globMatches("*" + e.text + "*", note.get<std::string>()))
        return;
      all += "  + " + note.get<std::string>() + "\n";
    }
    fail(e.line, "no note holds '" + e.text + "'\n" + all);
  }

  /// The sum that compute-sanitizer calls leaked: leak and held-at-exit together.
  void checkTotal(const Expectation &e, const ProfileFile &file) {
    std::string memory = "*";
    for (const Condition &c : e.conditions)
      if (c.key == "memory")
        memory = c.value;
    json total = {{"memory", memory}, {"count", 0}, {"bytes", 0}};
    for (const json *f : objectsOf(Subject::Finding, file.profile)) {
      std::string pattern = f->value("pattern", "");
      if ((pattern != "leak" && pattern != "held-at-exit") ||
          !globMatches(memory, f->value("memory", "")))
        continue;
      total["count"] = total["count"].get<int64_t>() + f->value("count", int64_t(0));
      total["bytes"] = total["bytes"].get<int64_t>() + f->value("bytes", int64_t(0));
    }
    for (const Condition &c : e.conditions)
      if (c.key != "memory" && !satisfies(c, total[c.key]))
        fail(e.line, "leak + held-at-exit: " + c.key + " is " + total[c.key].dump() +
                         ", expected " + c.value +
                         difference(e, file, objectsOf(Subject::Finding, file.profile)));
  }

  std::string difference(const Expectation &e, const ProfileFile &file,
                         const std::vector<const json *> &objects) const {
    std::string text = "\n  - " + spell(e) + "\n";
    for (const json *object : objects) {
      std::string wrong = firstDifference(e, file.profile, *object);
      text += "  + " + describe(e.subject, file.profile, *object) +
              (wrong.empty() ? "" : "   <- " + wrong) + "\n";
    }
    return text;
  }

  static std::string indent(const std::string &mark, const std::string &text) {
    std::string result;
    for (const std::string &line : splitLines(text))
      result += "  " + mark + line + "\n";
    return result;
  }

  const Spec &spec;
  const Observed &observed;
  bool twin;
  bool missingReported = false;
  const ProfileFile *main = nullptr;
  std::vector<const ProfileFile *> children;
  std::vector<const json *> claimed;
  std::vector<std::string> messages;
};

} // namespace

std::vector<std::string> checkExpectations(const Spec &spec, const Observed &observed, bool twin) {
  return ExpectationChecker(spec, observed, twin).run();
}

} // namespace gpuinstr::e2e
