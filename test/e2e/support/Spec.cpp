// Reads the directives of a test program.
// SPDX-License-Identifier: Apache-2.0
#include "Spec.h"
#include "Text.h"

#include <algorithm>
#include <map>
#include <optional>

namespace gpuinstr::e2e {
namespace {

enum class Form { Match, Text, Number, None, Run, Build };

struct Keyword {
  const char *name;
  Form form;
  Kind kind = Kind::Match;
  Subject subject = Subject::Finding;
};

const Keyword Keywords[] = {
    {"EXPECT", Form::Match, Kind::Match, Subject::Finding},
    {"EXPECT-NO", Form::Match, Kind::NoMatch, Subject::Finding},
    {"EXPECT-TOTAL", Form::Match, Kind::Match, Subject::Total},
    {"EXPECT-SITE", Form::Match, Kind::Match, Subject::Site},
    {"EXPECT-NO-SITE", Form::Match, Kind::NoMatch, Subject::Site},
    {"EXPECT-PROCESS", Form::Match, Kind::Match, Subject::Process},
    {"EXPECT-DEVICE", Form::Match, Kind::Match, Subject::Device},
    {"EXPECT-PEAK", Form::Match, Kind::Match, Subject::Peak},
    {"EXPECT-ALLOCATED", Form::Match, Kind::Match, Subject::Allocated},
    {"EXPECT-STARTUP", Form::Match, Kind::Match, Subject::StartUp},
    {"EXPECT-HOLDER", Form::Match, Kind::Match, Subject::Holder},
    {"EXPECT-IMAGE", Form::Match, Kind::Match, Subject::Image},
    {"EXPECT-SUPPRESSION", Form::Match, Kind::Match, Subject::Suppression},
    {"EXPECT-CLEAN", Form::None, Kind::Clean},
    {"EXPECT-ALL", Form::None, Kind::All},
    {"EXPECT-SILENT", Form::None, Kind::Silent},
    {"EXPECT-NOTE", Form::Text, Kind::Note},
    {"EXPECT-PROFILES", Form::Number, Kind::Profiles},
    {"EXPECT-EXIT", Form::Text, Kind::Exit},
    {"EXPECT-PLAIN-EXIT", Form::Text, Kind::PlainExit},
    {"EXPECT-STDOUT", Form::Text, Kind::Stdout},
    {"EXPECT-NO-STDOUT", Form::Text, Kind::NoStdout},
    {"EXPECT-STDERR", Form::Text, Kind::Stderr},
    {"EXPECT-NO-STDERR", Form::Text, Kind::NoStderr},
    {"EXPECT-REPORT", Form::Text, Kind::Report},
    {"EXPECT-NO-REPORT", Form::Text, Kind::NoReport},
    {"EXPECT-FILE", Form::Text, Kind::File},
    {"EXPECT-NO-FILE", Form::Text, Kind::NoFile},
    {"ENV", Form::Run},
    {"OPTIONS", Form::Run},
    {"RAW-OPTIONS", Form::Run},
    {"ARGS", Form::Run},
    {"TAKEN", Form::Run},
    {"ONLY", Form::Run},
    {"TIMEOUT", Form::Run},
    {"DEVICES", Form::Run},
    // Read by plan.py.
    {"BUILD", Form::Build},
    {"TWIN", Form::Build},
    {"FLAGS", Form::Build},
    {"PLUGIN", Form::Build},
    {"WITH", Form::Build},
    {"WITH-PLAIN", Form::Build},
    {"SHARED", Form::Build},
    {"SHARED-PLAIN", Form::Build},
    {"DLOPEN", Form::Build},
    {"NOT-CARRIED", Form::Build},
    {"DLOPEN-PLAIN", Form::Build},
    {"REQUIRES", Form::Build},
};

const std::map<Subject, std::set<std::string>> Fields = {
    {Subject::Finding, {"memory", "variable",    "type",    "function",        "callee",
                        "file",   "line",        "count",   "bytes",           "elements",
                        "error",  "message",     "fix",     "suppressed",      "suppression",
                        "caller", "caller-file", "related", "caller-function", "caller-variable",
                        "via",    "via-function"}},
    {Subject::Total, {"memory", "count", "bytes"}},
    {Subject::Site,
     {"kind",    "file",         "line",          "column",         "function",
      "callee",  "arguments",    "variable",      "type",           "memory",
      "via",     "via-function", "calls",         "failed",         "bytes",
      "kernels", "matches",      "device-method", "device-samples", "device-operations"}},
    {Subject::Process, {"ended", "exit_code", "rank", "rank_source", "exe", "args"}},
    {Subject::Device, {"ordinal", "name", "memory_bytes", "peak_bytes", "simulated", "matches"}},
    {Subject::Peak, {"variable", "memory", "bytes", "count", "line", "function", "matches"}},
    {Subject::Allocated,
     {"variable", "memory", "device", "count", "bytes", "peak_bytes", "live_count", "live_bytes",
      "line", "function", "caller", "via", "matches"}},
    {Subject::StartUp,
     {"method", "total_ns", "context_ns", "modules", "modules_ns", "kernels", "first_launches_ns",
      "jit_ns", "loading_ns", "line", "function"}},
    {Subject::Holder, {"variable", "memory", "bytes", "count", "line", "function", "matches"}},
    {Subject::Image, {"path", "instrumented", "sites", "sites_run", "matches"}},
    {Subject::Suppression, {"rule", "origin", "used", "matches"}},
};

const std::set<std::string> Patterns = {"leak",
                                        "held-at-exit",
                                        "invalid-free",
                                        "double-free",
                                        "out-of-bounds-copy",
                                        "copy-after-free",
                                        "ignored-error",
                                        "failed-launch",
                                        "out-of-memory",
                                        "noop-copy",
                                        "reupload",
                                        "roundtrip",
                                        "dead-copy",
                                        "unused-allocation",
                                        "lifetime",
                                        "alloc-churn",
                                        "duplicate-buffer",
                                        "uniform-upload",
                                        "pageable-async",
                                        "small-copies",
                                        "needless-sync",
                                        "serialised",
                                        "*"};
const std::set<std::string> Grades = {"proven", "likely", "advice", "information"};
const std::set<std::string> KnownTags = {
    "simulator", "gpu",   "twin",   "both", "child",   "clang", "nvcc", "nvcc19", "O0",
    "O2",        "debug", "static", "lto",  "thinlto", "rdc",   "ptsz", "pch",    "carried"};

const Keyword *findKeyword(std::string_view name) {
  for (const Keyword &k : Keywords)
    if (name == k.name)
      return &k;
  return nullptr;
}

/// One comment line taken apart.
struct Directive {
  std::string name, tags, text;
  unsigned line = 0;
};

/// Reads `KEYWORD[tags]: text` from a comment; nullopt for an ordinary comment. A word that starts
/// with EXPECT, or a word in capitals before a colon, is a directive, known or not.
std::optional<Directive> takeApart(std::string_view line) {
  line = trim(line);
  if (line.substr(0, 2) != "//" && line.substr(0, 2) != "/*")
    return std::nullopt;
  bool block = line[1] == '*';
  line = trim(line.substr(2));
  if (block && line.size() >= 2 && line.substr(line.size() - 2) == "*/")
    line = trim(line.substr(0, line.size() - 2));
  size_t end = 0;
  while (end < line.size() && ((line[end] >= 'A' && line[end] <= 'Z') || line[end] == '-'))
    ++end;
  Directive d;
  d.name = std::string(line.substr(0, end));
  if (d.name.size() < 3)
    return std::nullopt;
  line.remove_prefix(end);
  if (!line.empty() && line.front() == '[') {
    size_t close = line.find(']');
    if (close == std::string_view::npos)
      return std::nullopt;
    d.tags = std::string(line.substr(1, close - 1));
    line.remove_prefix(close + 1);
  }
  bool colon = !line.empty() && line.front() == ':';
  if (!colon && d.name.compare(0, 6, "EXPECT") != 0)
    return std::nullopt;
  d.text = std::string(trim(colon ? line.substr(1) : line));
  return d;
}

/// Collects directives, one source file at a time.
class Reader {
public:
  Reader(const std::string &path, const std::set<std::string> &tags,
         std::vector<std::string> &errors)
      : Active(tags), Errors(errors) {
    Result.path = path;
  }

  Spec read() {
    auto text = readFile(Result.path);
    if (!text) {
      Errors.push_back(Result.path + ": cannot be read");
      return Result;
    }
    Lines = splitLines(*text);
    for (unsigned i = 0; i < Lines.size(); ++i)
      if (auto d = takeApart(Lines[i])) {
        d->line = i + 1;
        add(*d);
      } else {
        checkOrdinary(i);
      }
    return Result;
  }

private:
  /// A formatter may join directives into one comment: then one of them would be none.
  void checkOrdinary(unsigned i) {
    std::string_view line = trim(Lines[i]);
    if (line.substr(0, 2) == "//" && line.find(" EXPECT-") != std::string_view::npos)
      Errors.push_back(Result.path + ":" + std::to_string(i + 1) +
                       ": a directive within a comment: '" + std::string(line) + "'");
  }

  void error(const Directive &d, const std::string &message) {
    Errors.push_back(Result.path + ":" + std::to_string(d.line) + ": " + message);
  }

  std::string folder() const {
    size_t slash = Result.path.rfind('/');
    return slash == std::string::npos ? "." : Result.path.substr(0, slash);
  }

  /// Whether the directive holds here. Findings of the buggy program say nothing about its twin.
  bool holds(const Directive &d, bool expects, bool &child) {
    bool twin = Active.count("twin"), forTwin = !expects, known = true, wanted = true;
    bool forBuggy = true;
    for (std::string tag : splitList(d.tags, ',')) {
      bool negated = tag.front() == '!';
      if (negated)
        tag.erase(0, 1);
      if (!KnownTags.count(tag)) {
        error(d, "unknown tag '" + tag + "'");
        known = false;
      } else if (tag == "child") {
        child = true;
      } else if (tag == "both") {
        forTwin = true;
      } else if (tag == "twin") {
        forTwin = !negated;
        forBuggy = negated;
      } else if ((Active.count(tag) != 0) == negated) {
        wanted = false;
      }
    }
    return known && wanted && (twin ? forTwin : forBuggy);
  }

  void add(const Directive &d) {
    const Keyword *keyword = findKeyword(d.name);
    if (!keyword)
      return error(d, "unknown keyword '" + d.name + "'");
    bool child = false;
    bool expects = keyword->form != Form::Run && keyword->form != Form::Build;
    bool here = holds(d, expects, child);
    if (keyword->form == Form::Run)
      return here ? setRun(d) : void();
    if (keyword->form == Form::Build)
      return;
    Expectation e;
    e.kind = keyword->kind;
    e.subject = keyword->subject;
    e.text = d.text;
    e.line = d.line;
    e.child = child;
    // Checked even where it does not hold, so that a mistake shows in every mode.
    if (parse(*keyword, d, e) && here)
      Result.expectations.push_back(e);
  }

  bool parse(const Keyword &keyword, const Directive &d, Expectation &e) {
    switch (keyword.form) {
    case Form::None:
      if (!d.text.empty())
        return error(d, d.name + " takes no text: '" + d.text + "'"), false;
      return true;
    case Form::Number:
      if (!parseNumber(d.text))
        return error(d, d.name + " wants a number, not '" + d.text + "'"), false;
      return true;
    case Form::Text:
      if (d.text.empty())
        return error(d, d.name + " wants a text"), false;
      return fillLines(d, e.text);
    default:
      return parseConditions(d, e);
    }
  }

  bool parseConditions(const Directive &d, Expectation &e) {
    std::vector<std::string> words = splitWords(d.text);
    if (words.empty())
      return error(d, d.name + " without any condition"), false;
    size_t first = 0;
    if (e.subject == Subject::Finding) {
      if (!Patterns.count(words[0]))
        return error(d, "unknown finding '" + words[0] + "'"), false;
      e.conditions.push_back({"pattern", '=', words[0], "", 0});
      first = 1;
      if (words.size() > 1 && words[1].find('=') == std::string::npos) {
        if (!Grades.count(words[1]))
          return error(d, "unknown grade '" + words[1] + "'"), false;
        e.conditions.push_back({"grade", '=', words[1], "", 0});
        first = 2;
      }
    }
    for (size_t i = first; i < words.size(); ++i)
      if (!parseCondition(d, words[i], e))
        return false;
    return true;
  }

  bool parseCondition(const Directive &d, const std::string &word, Expectation &e) {
    size_t equal = word.find('=');
    if (equal == std::string::npos || equal == 0)
      return error(d, "'" + word + "' is no key=value"), false;
    Condition c;
    c.value = word.substr(equal + 1);
    if (word[equal - 1] == '>' || word[equal - 1] == '<')
      c.op = word[--equal];
    c.key = word.substr(0, equal);
    if (!Fields.at(e.subject).count(c.key))
      return error(d, "unknown field '" + c.key + "'"), false;
    if (!c.value.empty() && c.value.front() == '@' && !resolveTag(d, c))
      return false;
    e.conditions.push_back(c);
    return true;
  }

  /// Puts the line number for each `{@name}`.
  bool fillLines(const Directive &d, std::string &text) {
    for (size_t open; (open = text.find("{@")) != std::string::npos;) {
      size_t close = text.find('}', open);
      Condition c;
      c.value = text.substr(open + 1, close == std::string::npos ? close : close - open - 1);
      if (close == std::string::npos || !resolveTag(d, c))
        return close == std::string::npos ? error(d, "'{' is not closed"), false : false;
      text.replace(open, close - open + 1, std::to_string(c.number));
    }
    return true;
  }

  /// `@name` is the line of this file that holds `@name`; `@FILE:name` that of a file beside it.
  bool resolveTag(const Directive &d, Condition &c) {
    std::string file = Result.path, tag = c.value;
    size_t colon = tag.find(':');
    if (colon != std::string::npos) {
      file = folder() + "/" + tag.substr(1, colon - 1);
      tag = "@" + tag.substr(colon + 1);
    }
    auto text = readFile(file);
    if (!text)
      return error(d, "cannot read '" + file + "'"), false;
    std::vector<std::string> all = splitLines(*text);
    int64_t found = 0;
    for (size_t i = 0; i < all.size(); ++i)
      if (!takeApart(all[i]) && holdsTag(all[i], tag)) {
        if (found)
          return error(d, "'" + c.value + "' marks two lines"), false;
        found = int64_t(i) + 1;
      }
    if (!found)
      return error(d, "no line is marked '" + c.value + "'"), false;
    c.file = baseName(file);
    c.number = found;
    return true;
  }

  static bool holdsTag(const std::string &line, const std::string &tag) {
    for (size_t at = 0; (at = line.find(tag, at)) != std::string::npos; at += tag.size()) {
      size_t end = at + tag.size();
      if (end == line.size() || !(isalnum(line[end]) || line[end] == '_' || line[end] == '-'))
        return true;
    }
    return false;
  }

  void setRun(const Directive &d) {
    RunSettings &run = Result.run;
    if (d.name == "ENV")
      run.environment.push_back(d.text);
    else if (d.name == "OPTIONS")
      run.options += (run.options.empty() ? "" : " ") + d.text;
    else if (d.name == "RAW-OPTIONS") {
      run.rawOptions = d.text;
      run.hasRawOptions = true;
    } else if (d.name == "ARGS")
      run.arguments = splitWords(d.text);
    else if (d.name == "TAKEN")
      run.taken.push_back(d.text);
    else if (d.name == "TIMEOUT")
      run.timeoutSeconds = unsigned(parseNumber(d.text).value_or(60));
    else if (d.name == "DEVICES")
      setDevices(d);
    else if (d.text != "simulator" && d.text != "gpu")
      error(d, "ONLY wants simulator or gpu, not '" + d.text + "'");
    else
      Result.only = d.text;
    if (d.name == "ENV" && d.text.find('=') == std::string::npos)
      error(d, "ENV wants NAME=value, not '" + d.text + "'");
  }

  void setDevices(const Directive &d) {
    const auto devices = parseNumber(d.text);
    if (!devices || *devices < 2)
      return error(d, "DEVICES wants a number of at least 2, not '" + d.text + "'");
    Result.run.devices = unsigned(*devices);
    Result.run.environment.push_back("GPUINSTR_SIM=devices=" + d.text);
  }

  Spec Result;
  std::vector<std::string> Lines;
  const std::set<std::string> &Active;
  std::vector<std::string> &Errors;
};

} // namespace

Spec readSpec(const std::string &path, const std::set<std::string> &tags,
              std::vector<std::string> &errors) {
  Spec spec = Reader(path, tags, errors).read();
  if (spec.expectations.empty() && !tags.count("twin"))
    errors.push_back(path + ": no expectation");
  return spec;
}

} // namespace gpuinstr::e2e
