// Findings as CI servers read them.
// SPDX-License-Identifier: Apache-2.0
#include "export/Annotations.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include "report/Sections.h"

namespace gpuinstr::cli {

using profile::Finding;
using profile::FindingClass;
using profile::Site;

namespace {

std::string relativeTo(const std::string &root, const std::string &file) {
  std::string folder = root;
  while (!folder.empty() && folder.back() == '/')
    folder.pop_back();
  bool below = !folder.empty() && file.compare(0, folder.size() + 1, folder + "/") == 0;
  return below ? file.substr(folder.size() + 1) : file;
}

/// `replacement(c)` in place of each byte, "" the byte itself.
template <class F> std::string replaced(const std::string &text, F replacement) {
  std::string out;
  for (char c : text) {
    std::string other = replacement(c);
    out += other.empty() ? std::string(1, c) : other;
  }
  return out;
}

std::string commandText(const std::string &text) {
  return replaced(text, [](char c) -> std::string {
    return c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : "";
  });
}

std::string commandProperty(const std::string &text) {
  return replaced(commandText(text), [](char c) -> std::string {
    return c == ':' ? "%3A" : c == ',' ? "%2C" : "";
  });
}

const char *commandOf(const Finding &finding) {
  FindingClass cls = profile::findingKind(finding.pattern).cls;
  if (finding.grade != profile::Grade::Proven || cls == FindingClass::Information)
    return "notice";
  return cls == FindingClass::Waste ? "warning" : "error";
}

std::string messageOf(const Finding &finding) {
  return findingText(finding) +
         (finding.fix.empty() ? "" : "; fix: " + printable(finding.fix, 300));
}

std::string xml(const std::string &text) {
  return replaced(printable(text), [](char c) -> std::string {
    switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return "";
    }
  });
}

/// Whether it is shown where only findings are: memory that a global holds at exit is none.
bool isShown(const Finding &finding) { return finding.grade != profile::Grade::Information; }

} // namespace

std::string githubAnnotations(const profile::Profile &profile, const std::string &root) {
  SiteIndex sites(profile);
  std::string out;
  for (const Finding &finding : profile.findings) {
    if (finding.suppressed || !isShown(finding))
      continue;
    const Site *site = sites.shown(finding);
    out += std::string("::") + commandOf(finding) + " ";
    if (site && !site->file.empty()) {
      out += "file=" + commandProperty(relativeTo(root, site->file)) + ",";
      if (site->line)
        out += "line=" + std::to_string(site->line) + ",";
      if (site->line && site->column)
        out += "col=" + std::to_string(site->column) + ",";
    }
    out += "title=" + commandProperty("gpuinstr " + finding.pattern.text() + " [" +
                                      finding.grade.text() + "]");
    out += "::" + commandText(messageOf(finding)) + "\n";
  }
  return out;
}

std::string junit(const profile::Profile &profile, const std::string &root) {
  SiteIndex sites(profile);
  std::string cases;
  std::size_t tests = 0, failures = 0, skipped = 0;
  for (const Finding &finding : profile.findings) {
    if (!isShown(finding))
      continue;
    const Site *site = sites.shown(finding);
    std::string file = site ? relativeTo(root, site->file) : "";
    ++tests;
    cases += "  <testcase classname=\"" + xml(file.empty() ? "?" : file) + "\" name=\"" +
             xml(finding.pattern.text() + " " + finding.variable + " at " + placeText(site) +
                 (site && !site->function.empty() ? " in " + site->function : "")) +
             "\">";
    std::string message = xml(messageOf(finding));
    if (finding.suppressed) {
      ++skipped;
      cases += "<skipped message=\"" + xml(finding.suppression) + "\"/>";
    } else if (counts(finding)) {
      ++failures;
      cases +=
          "<failure type=\"" + xml(finding.pattern.text()) + "\" message=\"" + message + "\"/>";
    } else {
      cases += "<system-out>" + xml(finding.grade.text()) + ": " + message + "</system-out>";
    }
    cases += "</testcase>\n";
  }
  if (!tests) {
    ++tests;
    cases = "  <testcase classname=\"" + xml(profile.process.exe) + "\" name=\"" +
            xml(report::verdictText(profile)) + "\"/>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"gpuinstr\" "
         "tests=\"" +
         std::to_string(tests) + "\" failures=\"" + std::to_string(failures) +
         "\" errors=\"0\" skipped=\"" + std::to_string(skipped) + "\">\n" + cases +
         " </testsuite>\n</testsuites>\n";
}

} // namespace gpuinstr::cli
