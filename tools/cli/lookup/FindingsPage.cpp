// gpuinstr explain: the page of a finding, from docs/Findings.md inside this program.
// SPDX-License-Identifier: Apache-2.0
#include "Explain.h"
#include "Command.h"
#include "Files.h"
#include "profile/Kinds.h"
#include <CLI/CLI.hpp>
#include <memory>

namespace gpuinstr::cli {

static const unsigned char FindingsPage[] = {
#include "Findings.inc"
};

std::string_view findingsPage() {
  return {reinterpret_cast<const char *>(FindingsPage), sizeof FindingsPage};
}

std::string explanation(std::string_view id) {
  std::string_view page = findingsPage();
  std::string heading = "\n## " + std::string(id) + "\n";
  std::size_t begin = page.find(heading);
  if (!profile::isFindingId(id) || begin == std::string_view::npos)
    return "";
  ++begin;
  std::size_t end = page.find("\n## ", begin);
  std::string text(page.substr(begin, end == std::string_view::npos ? end : end - begin + 1));
  while (text.size() > 1 && text[text.size() - 2] == '\n')
    text.pop_back();
  return text;
}

static std::string listOfFindings() {
  std::string out;
  for (const profile::FindingKind *kind = profile::findingKinds(); !kind->id.empty(); ++kind)
    out += std::string(kind->id) + "\n";
  return out;
}

void addExplain(CLI::App &app, int &code) {
  auto id = std::make_shared<std::string>();
  CLI::App *explain =
      app.add_subcommand("explain", "What a finding means and how to fix it; without ID: all ids");
  explain->add_option("id", *id, "leak, double-free, ...");
  explain->callback([id, &code] {
    if (!id->empty() && explanation(*id).empty())
      throw Failure("no finding is called '" + *id + "' (gpuinstr explain lists them)");
    writeText("", id->empty() ? listOfFindings() : explanation(*id));
    code = 0;
  });
}

} // namespace gpuinstr::cli
