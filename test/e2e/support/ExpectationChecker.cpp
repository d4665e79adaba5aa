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
      : Wanted(spec), Seen(observed), Twin(twin) {
    for (const ProfileFile &file : observed.profiles)
      if (isMain(file))
        Main = &file;
      else
        Children.push_back(&file);
  }

  std::vector<std::string> run() {
    checkEnd();
    for (const ProfileFile &file : Seen.profiles)
      checkIntegrity(file);
    for (const Expectation &e : Wanted.expectations)
      check(e);
    if (has(Kind::All))
      checkUnclaimed();
    if (Twin && !has(Kind::Silent))
      if (const ProfileFile *file = mainProfile(0))
        checkClean(*file, 0);
    return std::move(Messages);
  }

private:
  bool isMain(const ProfileFile &file) const {
    const json &p = file.profile;
    return Seen.run.pid == 0 ||
           (p.contains("process") && p["process"].value("pid", int64_t(0)) == Seen.run.pid);
  }

  bool has(Kind kind) const {
    return std::any_of(Wanted.expectations.begin(), Wanted.expectations.end(),
                       [&](const Expectation &e) { return e.kind == kind; });
  }

  const Expectation *find(Kind kind) const {
    for (const Expectation &e : Wanted.expectations)
      if (e.kind == kind)
        return &e;
    return nullptr;
  }

  void fail(unsigned line, const std::string &message) {
    Messages.push_back(Wanted.path + ":" + std::to_string(line) + ": " + message);
  }

  /// Exit codes, and what the plain program printed.
  void checkEnd() {
    const Expectation *wanted = find(Kind::Exit), *plainWanted = find(Kind::PlainExit);
    std::string exit = wanted ? wanted->text : "0";
    if (Seen.run.ended != exit)
      fail(wanted ? wanted->line : 0, "the program ended with " + Seen.run.ended + ", expected " +
                                          exit + "\n" + indent("stderr: ", Seen.run.err));
    if (!Seen.plain)
      return;
    std::string plainExit = plainWanted ? plainWanted->text : exit;
    if (Seen.plain->ended != plainExit)
      fail(plainWanted ? plainWanted->line : 0,
           "the plain program ended with " + Seen.plain->ended + ", expected " + plainExit);
    if (Seen.plain->out != Seen.run.out)
      fail(0, "stdout differs from the plain program's\n" + indent("- ", Seen.plain->out) +
                  indent("+ ", Seen.run.out));
    bool ownLines = Wanted.run.hasRawOptions || has(Kind::Stderr) || has(Kind::NoStderr);
    if ((!ownLines || has(Kind::Silent)) && Seen.plain->err != Seen.run.err)
      fail(0, "stderr differs from the plain program's\n" + indent("- ", Seen.plain->err) +
                  indent("+ ", Seen.run.err));
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
    if (!Main && !MissingReported)
      fail(line, "the program wrote no profile" +
                     std::string(Children.empty() ? "" : " (another process did)") + "\n" +
                     indent("stderr: ", Seen.run.err));
    MissingReported |= !Main;
    return Main;
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
      if (int64_t(Seen.profiles.size()) != parseNumber(e.text).value_or(-1))
        fail(e.line, std::to_string(Seen.profiles.size()) + " profiles, expected " + e.text);
      return;
    case Kind::Stdout:
    case Kind::NoStdout:
      return checkText(e, "stdout", Seen.run.out, e.kind == Kind::Stdout);
    case Kind::Stderr:
    case Kind::NoStderr:
      return checkText(e, "stderr", Seen.run.err, e.kind == Kind::Stderr);
    case Kind::Report:
    case Kind::NoReport:
      if (!Seen.report)
        return fail(e.line, "there is no report");
      return checkText(e, "report", *Seen.report, e.kind == Kind::Report);
    case Kind::File:
    case Kind::NoFile:
      return checkFile(e);
    default:
      return checkProfiles(e);
    }
  }

  void checkSilent(const Expectation &e) {
    if (!Seen.profiles.empty())
      fail(e.line, "a profile was written: " + Seen.profiles.front().path);
    if (Seen.report)
      fail(e.line, "a report was written\n" + indent("+ ", *Seen.report));
    if (!Seen.plain && Seen.run.err.find("gpuinstr") != std::string::npos)
      fail(e.line, "not silent\n" + indent("+ ", Seen.run.err));
  }

  std::string withPid(const std::string &text) const {
    return replaceAll(text, "%p", std::to_string(Seen.run.pid));
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
    bool found = std::any_of(Seen.files.begin(), Seen.files.end(),
                             [&](const std::string &f) { return globMatches(glob, f); });
    if (found == (e.kind == Kind::File))
      return;
    std::string list;
    for (const std::string &f : Seen.files)
      list += "  + " + f + "\n";
    fail(e.line, (found ? "there is a file '" : "there is no file '") + e.text + "'\n" + list);
  }

  void checkProfiles(const Expectation &e) {
    if (!e.child) {
      if (const ProfileFile *file = mainProfile(e.line))
        checkProfile(e, *file);
      return;
    }
    if (Children.empty())
      fail(e.line, "no other process wrote a profile");
    for (const ProfileFile *file : Children)
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
      if (std::find(Claimed.begin(), Claimed.end(), object) == Claimed.end()) {
        Claimed.push_back(object);
        return;
      }
    fail(e.line, "no such finding" + difference(e, file, objects));
  }

  /// Programs about bugs allocate memory that they do not use, and write what nobody reads: that is
  /// the matter of those below waste/.
  bool isChecked(const json &finding) const {
    std::string pattern = finding.value("pattern", "");
    bool aboutUse = pattern == "unused-allocation" || pattern == "dead-copy";
    return counts(finding) && (!aboutUse || Wanted.path.find("/waste/") != std::string::npos);
  }

  void checkUnclaimed() {
    if (!Main)
      return;
    for (const json *object : objectsOf(Subject::Finding, Main->profile))
      if (isChecked(*object) && std::find(Claimed.begin(), Claimed.end(), object) == Claimed.end())
        fail(find(Kind::All)->line,
             "not expected\n  + " + describe(Subject::Finding, Main->profile, *object));
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

  const Spec &Wanted;
  const Observed &Seen;
  bool Twin;
  bool MissingReported = false;
  const ProfileFile *Main = nullptr;
  std::vector<const ProfileFile *> Children;
  std::vector<const json *> Claimed;
  std::vector<std::string> Messages;
};

} // namespace

std::vector<std::string> checkExpectations(const Spec &spec, const Observed &observed, bool twin) {
  return ExpectationChecker(spec, observed, twin).run();
}

} // namespace gpuinstr::e2e
