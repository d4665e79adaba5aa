// gpuinstr html: the page put together from its parts (tools/cli/html).
// SPDX-License-Identifier: Apache-2.0
#include "Command.h"
#include "Files.h"
#include "Html.h"
#include "TraceFile.h"
#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

namespace gpuinstr::cli {

namespace {

const unsigned char Template[] = {
#include "HtmlTemplate.inc"
};
const unsigned char Style[] = {
#include "HtmlStyle.inc"
};
const unsigned char Script[] = {
#include "HtmlScript.inc"
};

template <std::size_t N> std::string_view text(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char *>(bytes), N};
}

/// JSON that can end no script element: '<' only ever stands inside strings.
std::string embeddable(const nlohmann::json &data) {
  std::string json = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), out;
  out.reserve(json.size() + json.size() / 64);
  for (char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

} // namespace

std::string html(const profile::Profile &profile, Sources &sources, const HtmlTimeline *timeline) {
  std::string_view page = text(Template);
  std::string out;
  // What was put in is not looked at again: it may hold these very words.
  auto upTo = [&](std::string_view word, std::string_view instead) {
    std::size_t at = page.find(word);
    out.append(page.substr(0, at)).append(instead);
    page.remove_prefix(at + word.size());
  };
  upTo("@STYLE@", text(Style));
  upTo("@DATA@", embeddable(htmlData(profile, sources, timeline)));
  upTo("@SCRIPT@", text(Script));
  return out.append(page);
}

namespace {

struct Options {
  std::vector<std::string> files;
  std::string source, out;
  std::size_t events = 200000;
};

bool isTrace(const std::string &file) {
  char magic[sizeof trace::Magic] = {};
  std::ifstream in(file, std::ios::binary);
  return in.read(magic, sizeof magic) && std::memcmp(magic, trace::Magic, sizeof magic) == 0;
}

bool holdsTraces(const std::string &folder) {
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (isTrace(entry.path().string()))
      return true;
  return false;
}

void run(const Options &options) {
  std::vector<std::string> profiles, traces;
  for (const std::string &file : options.files) {
    bool folder = std::filesystem::is_directory(file);
    if (folder ? holdsTraces(file) : isTrace(file))
      traces.push_back(file);
    if (folder || !isTrace(file))
      profiles.push_back(file);
  }
  if (profiles.empty())
    throw Failure("html needs a profile (json=PATH) beside the trace");
  Sources sources(options.source);
  profile::Profile profile = loadAll(profiles);
  HtmlTimeline timeline;
  if (!traces.empty())
    timeline = traceTimeline(openTraces(traces), options.events);
  writeText(options.out, html(profile, sources, traces.empty() ? nullptr : &timeline));
}

} // namespace

void addHtml(CLI::App &app, int &code) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("html", "One HTML file: findings with their source, where "
                                                 "the time went, tables, a timeline");
  command->add_option("files", options->files, "Profiles and traces, or folders of them")
      ->required();
  command->add_option("--source", options->source, "Folder that holds the sources")
      ->type_name("DIR");
  command
      ->add_option("--events", options->events,
                   "Most events of the timeline (200000); the shortest are left out")
      ->type_name("N");
  command->add_option("-o,--output", options->out, "Instead of the standard output")
      ->type_name("FILE");
  command->callback([options, &code] {
    run(*options);
    code = 0;
  });
}

} // namespace gpuinstr::cli
