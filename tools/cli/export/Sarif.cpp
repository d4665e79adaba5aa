// gpuinstr sarif: findings at their lines, for code hosts (SARIF 2.1.0).
// SPDX-License-Identifier: Apache-2.0
#include "export/Sarif.h"
#include "base/text/Printable.h"
#include "lookup/FindingsPage.h"
#include "lookup/SiteIndex.h"
#include <algorithm>
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
  Writer(const profile::Profile &profile, std::string root)
      : Profile(profile), Sites(profile), Root(std::move(root)) {
    while (Root.size() > 1 && Root.back() == '/')
      Root.pop_back();
  }
  Json run() {
    Json results = Json::array();
    for (const Finding &finding : Profile.findings)
      if (finding.grade != profile::Grade::Information)
        results.push_back(result(finding));
    Json driver{{"name", "gpuinstr"}, {"version", GPUINSTR_VERSION}, {"rules", Rules}};
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
    Json one{{"id", id}, {"shortDescription", text(summaryOf(id))}};
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

  Json result(const Finding &finding) {
    const Site *shown = Sites.shown(finding), *own = Sites[finding.site];
    std::string message = finding.pattern.text() + ": " + findingText(finding);
    if (!finding.fix.empty())
      message += " (fix: " + printable(finding.fix, 300) + ")";
    Json out{{"ruleId", finding.pattern.text()},
             {"ruleIndex", rule(finding.pattern.text())},
             {"level", levelOf(finding)},
             {"message", text(message)},
             {"locations", Json::array()},
             {"partialFingerprints", {{"gpuinstrSite/v1", fingerprint(finding)}}}};
    if (shown && !shown->file.empty())
      out["locations"].push_back(location(*shown));
    Json related = Json::array();
    if (own != shown)
      addRelated(related, own, "the call itself");
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
    out["properties"] = {{"grade", finding.grade.text()},
                         {"count", finding.count},
                         {"bytes", finding.bytes},
                         {"cost_ns", finding.cost_ns},
                         {"variable", finding.variable}};
    return out;
  }

  const profile::Profile &Profile;
  SiteIndex Sites;
  std::string Root;
  Json Rules = Json::array();
};

} // namespace

std::string sarif(const profile::Profile &profile, const std::string &sourceRoot) {
  Json out{{"$schema", Schema}, {"version", "2.1.0"}};
  out["runs"] = Json::array({Writer(profile, sourceRoot).run()});
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gpuinstr::cli
