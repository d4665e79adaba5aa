// gpuinstr html: a profile, its sources and its trace as one page.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "html/HtmlPage.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "merge/MergeFiles.h"
#include "trace/TraceFile.h"
#include <cstring>
#include <filesystem>
#include <fstream>

namespace gpuinstr::cli {

namespace {

bool isTrace(const std::string &file) {
  char magic[sizeof trace::Magic] = {};
  std::ifstream in(file, std::ios::binary);
  return in.read(magic, sizeof magic) && std::memcmp(magic, trace::Magic, sizeof magic) == 0;
}

bool holds(const std::string &folder, bool (*wanted)(const std::string &)) {
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (wanted(entry.path().string()))
      return true;
  return false;
}

bool isProfile(const std::string &file) { return file.find(".json") != std::string::npos; }

class HtmlCommand : public Command {
  std::vector<std::string> Files;
  std::string Source, Out;
  std::size_t Events = 200000;

  void declare(OptionList &list) override {
    list.words("FILE", Files, "Profiles and traces, or folders of them").required();
    list.value("--source", Source, "DIR", "Folder that holds the sources");
    list.value("--events", Events, "N",
               "Most events of the timeline (200000); the shortest are left out");
    list.value("-o,--output", Out, "FILE", "Instead of the standard output");
  }

  int run(const Invocation &) override {
    std::vector<std::string> profiles, traces;
    for (const std::string &file : Files) {
      bool folder = std::filesystem::is_directory(file);
      bool traced = folder ? holds(file, isTrace) : isTrace(file);
      if (traced)
        traces.push_back(file);
      if (!traced || (folder && holds(file, isProfile)))
        profiles.push_back(file);
    }
    if (profiles.empty())
      throw Failure("html needs a profile (json=PATH) beside the trace");
    Sources sources(Source);
    profile::Profile profile = loadAll(profiles);
    HtmlTimeline timeline;
    if (!traces.empty())
      timeline = traceTimeline(openTraces(traces), Events);
    writeText(Out, html(profile, sources, traces.empty() ? nullptr : &timeline));
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeHtml() { return std::make_unique<HtmlCommand>(); }

} // namespace gpuinstr::cli
