// gpuinstr sarif: findings at their lines, for code hosts (SARIF 2.1.0).
// SPDX-License-Identifier: Apache-2.0
#include "export/Sarif.h"
#include "base/text/Printable.h"
#include "lookup/FindingsPage.h"
#include "lookup/SiteIndex.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace gpuinstr::cli {

using Json = nlohmann::ordered_json;
using profile::Finding;
using profile::FindingClass;
using profile::Site;

namespace {

constexpr const char *Schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Proven bugs are errors, proven waste warnings, all else notes.
const char *levelOf(const Finding &finding) {
  FindingClass cls = profile::findingKind(finding.pattern).cls;
  if (finding.grade != profile::Grade::Proven || cls == FindingClass::Information)
    return "note";
  return cls == FindingClass::Waste ? "warning" : "error";
}

/// "CudaNoopCopy": what validators want as a rule's name, which must differ from its id.
std::string ruleName(const std::string &id) {
  std::string out = "Cuda";
  for (std::size_t i = 0; i < id.size(); ++i)
    if (id[i] != '-')
      out += i == 0 || id[i - 1] == '-' ? char(std::toupper(static_cast<unsigned char>(id[i])))
                                        : id[i];
  return out;
}

const char *classOf(const std::string &id) {
  FindingClass cls = profile::findingKind(profile::fromText<profile::Pattern>(id)).cls;
  return cls == FindingClass::Bug ? "bug" : cls == FindingClass::Waste ? "waste" : "information";
}

/// Of a rule: that of its proven findings.
const char *levelOf(const std::string &id) {
  std::string_view cls = classOf(id);
  return cls == "bug" ? "error" : cls == "waste" ? "warning" : "note";
}

/// What is shown in a list: up to the first full stop, which validators want at the end.
std::string firstSentence(const std::string &text) {
  std::size_t end = text.find(". ");
  std::string out = end == std::string::npos ? text : text.substr(0, end + 1);
  return out.empty() || out.back() == '.' ? out : out + ".";
}

/// A path as the reference of a URI: bytes that may not stand in one are escaped.
std::string uriOf(const std::string &path) {
  static constexpr char Hex[] = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : path) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("-._~/+").find(char(c)) != std::string_view::npos;
    if (plain)
      out += char(c);
    else
      (out += '%') += {Hex[c >> 4], Hex[c & 15]};
  }
  return out;
}

/// The first paragraph below a finding's heading, as one line.
std::string summaryOf(std::string_view id) {
  std::string page = explanation(id);
  std::size_t begin = std::min(page.find("\n\n"), page.size());
  begin = std::min(begin + 2, page.size());
  std::string text = page.substr(begin, page.find("\n\n", begin) - begin);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? std::string(id) : text;
}

class Writer {
public:
  Writer(const profile::Profile &profile, std::string root, std::string home)
      : Profile(profile), Sites(profile), Root(std::move(root)), Home(std::move(home)) {
    while (Root.size() > 1 && Root.back() == '/')
      Root.pop_back();
    if (!Home.empty() && Home.back() != '/')
      Home += '/';
  }
  Json run() {
    Json results = Json::array();
    for (const Finding &finding : Profile.findings)
      if (finding.grade != profile::Grade::Information)
        results.push_back(result(finding));
    Json driver{{"name", "gpuinstr"},
                {"fullName", "gpuinstr " GPUINSTR_VERSION},
                {"version", GPUINSTR_VERSION},
                {"semanticVersion", GPUINSTR_VERSION}};
    if (!Home.empty())
      driver["informationUri"] = Home;
    driver["rules"] = Rules;
    return {{"tool", {{"driver", driver}}},
            {"columnKind", "utf16CodeUnits"},
            {"originalUriBaseIds", {{"SRCROOT", {{"description", text("the source folder")}}}}},
            {"invocations", Json::array({invocation()})},
            {"results", results}};
  }

private:
  static Json text(const std::string &value) { return {{"text", value}}; }

  Json invocation() const {
    // A program that a signal ended has no exit code.
    Json out{{"executionSuccessful", Profile.process.ended.rfind("signal", 0) != 0}};
    if (Profile.process.exit_code >= 0 && !Profile.merged.processes)
      out["exitCode"] = Profile.process.exit_code;
    return out;
  }

  std::size_t rule(const std::string &id) {
    for (std::size_t i = 0; i < Rules.size(); ++i)
      if (Rules[i]["id"] == id)
        return i;
    Json one{{"id", id},
             {"name", ruleName(id)},
             {"shortDescription", text(firstSentence(summaryOf(id)))},
             {"fullDescription", text(summaryOf(id))},
             {"defaultConfiguration", {{"level", levelOf(id)}}},
             {"properties", {{"tags", Json::array({"CUDA", classOf(id)})}}}};
    if (!Home.empty())
      one["helpUri"] = Home + "docs/Findings.md#" + id;
    if (std::string page = explanation(id); !page.empty())
      one["help"] = {{"text", page}, {"markdown", page}};
    Rules.push_back(std::move(one));
    return Rules.size() - 1;
  }

  Json artifact(const std::string &file) const {
    std::string relative = file;
    if (!Root.empty() && file.rfind(Root + "/", 0) == 0)
      relative = file.substr(Root.size() + 1);
    if (relative.empty() || relative[0] == '/')
      return {{"uri", "file://" + uriOf(relative)}};
    while (relative.rfind("./", 0) == 0)
      relative.erase(0, 2);
    return {{"uri", uriOf(relative)}, {"uriBaseId", "SRCROOT"}};
  }

  Json location(const Site &site) const {
    Json physical{{"artifactLocation", artifact(site.file)}};
    if (site.line) {
      physical["region"] = {{"startLine", site.line}};
      if (site.column)
        physical["region"]["startColumn"] = site.column;
    }
    Json out{{"physicalLocation", physical}};
    if (!site.function.empty())
      out["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", site.function}, {"kind", "function"}}});
    return out;
  }

  void addRelated(Json &out, const Site *site, const char *what) const {
    if (!site || site->file.empty())
      return;
    Json one = location(*site);
    one["message"] = text(what);
    out.push_back(std::move(one));
  }

  /// The same finding has the same one when its lines move: ids of sites do not hold the line.
  static std::string fingerprint(const Finding &finding) {
    return finding.pattern.text() + "/" + finding.site + "/" + finding.caller + "/" +
           finding.variable;
  }

  /// GitHub matches alerts by this key; its own hashes would need the source.
  static std::string lineHash(const std::string &text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned char c : text)
      hash = (hash ^ c) * 0x100000001b3;
    char out[24];
    std::snprintf(out, sizeof out, "%016llx:1", static_cast<unsigned long long>(hash));
    return out;
  }

  Json result(const Finding &finding) {
    const Site *shown = Sites.shown(finding), *own = Sites[finding.site];
    std::string message = finding.pattern.text() + ": " + findingText(finding);
    if (!finding.fix.empty())
      message += " (fix: " + printable(finding.fix, 300) + ")";
    message += "."; // a sentence, as validators want it
    Json out{{"ruleId", finding.pattern.text()},
             {"ruleIndex", rule(finding.pattern.text())},
             {"level", levelOf(finding)},
             {"message", text(message)},
             {"locations", Json::array()},
             {"partialFingerprints",
              {{"gpuinstrSite/v1", fingerprint(finding)},
               {"primaryLocationLineHash", lineHash(fingerprint(finding))}}}};
    if (shown && !shown->file.empty())
      out["locations"].push_back(location(*shown));
    Json related = Json::array();
    if (own != shown)
      addRelated(related, own, "the call itself");
    for (std::size_t i = own ? own->via.size() : 0; i-- > 0;)
      addRelated(related, Sites[own->via[i]],
                 i + 1 == own->via.size() ? "the call itself" : "on the way to it");
    addRelated(related, Sites[finding.related], "the earlier call");
    if (!related.empty())
      out["relatedLocations"] = std::move(related);
    if (finding.suppressed) {
      bool comment = finding.suppression.find("gpuinstr-ignore") != std::string::npos;
      Json one{{"kind", comment ? "inSource" : "external"}};
      if (!finding.suppression.empty())
        one["justification"] = finding.suppression;
      out["suppressions"] = Json::array({one});
    }
    out["properties"] = {{"grade", finding.grade.text()},     {"count", finding.count},
                         {"estimated", finding.counted != 0}, {"bytes", finding.bytes},
                         {"cost_ns", finding.cost_ns},        {"variable", finding.variable}};
    return out;
  }

  const profile::Profile &Profile;
  SiteIndex Sites;
  std::string Root, Home;
  Json Rules = Json::array();
};

} // namespace

std::string sarif(const profile::Profile &profile, const std::string &sourceRoot,
                  const std::string &home) {
  Json out{{"$schema", Schema}, {"version", "2.1.0"}};
  out["runs"] = Json::array({Writer(profile, sourceRoot, home).run()});
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gpuinstr::cli
