// gpuinstr sites: the call sites embedded in a binary.
// SPDX-License-Identifier: Apache-2.0
#include "Command.h"
#include "Csv.h"
#include "ElfSites.h"
#include "Files.h"
#include "profile/Kinds.h"
#include "report/Printable.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace gpuinstr::cli {

namespace {

std::string hexId(uint64_t id) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(id));
  return text;
}

std::string siteLine(const EmbeddedSite &site) {
  std::string arguments;
  for (const std::string &argument : site.arguments)
    arguments += (arguments.empty() ? "" : ", ") + argument;
  std::string line = report::printable(site.file) + ":" + std::to_string(site.line) + ":" +
                     std::to_string(site.column) + ": ";
  line += std::string(profile::kindName(site.op)) + " " + report::printable(site.callee) + "(" +
          report::printable(arguments) + ")";
  if (!site.variable.empty())
    line += " -> " + report::printable(site.variable);
  if (!site.type.empty())
    line += " : " + report::printable(site.type);
  return line + " in " + report::printable(site.function) + "\n";
}

std::string asText(const std::vector<EmbeddedModule> &modules, bool all) {
  std::string out;
  for (const EmbeddedModule &module : modules) {
    std::string lines;
    std::size_t listed = 0;
    for (const EmbeddedSite &site : module.sites)
      if (all || isCall(site)) {
        lines += siteLine(site);
        ++listed;
      }
    out += "# " + report::printable(module.source) + ": " +
           report::plural(listed, "site", "sites") + " (" + report::printable(module.producer) +
           ", ABI " + std::to_string(module.abi) + ")\n" + lines;
    for (const std::string &name : module.addressesTaken)
      out += "# address taken, calls through it are unseen: " + report::printable(name) + "\n";
  }
  return out;
}

std::string asJson(const std::vector<EmbeddedModule> &modules, bool all) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const EmbeddedModule &module : modules) {
    Json sites = Json::array();
    for (const EmbeddedSite &site : module.sites)
      if (all || isCall(site))
        sites.push_back({{"id", hexId(site.id)},
                         {"kind", std::string(profile::kindName(site.op))},
                         {"file", site.file},
                         {"line", site.line},
                         {"column", site.column},
                         {"function", site.function},
                         {"callee", site.callee},
                         {"arguments", site.arguments},
                         {"variable", site.variable},
                         {"type", site.type}});
    list.push_back({{"source", module.source},
                    {"producer", module.producer},
                    {"abi", module.abi},
                    {"defaults", module.defaults},
                    {"addresses_taken", module.addressesTaken},
                    {"sites", std::move(sites)}});
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

void addSites(CLI::App &app, int &code) {
  struct Options {
    std::string binary;
    bool json = false, all = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *sites = app.add_subcommand("sites", "The call sites embedded in a binary");
  sites->add_option("binary", options->binary, "Executable or shared library")->required();
  sites->add_flag("--json", options->json, "As JSON");
  sites->add_flag("--all", options->all, "Also calling lines, and sites inside launch stubs");
  sites->callback([options, &code] {
    std::string file = readText(options->binary);
    std::vector<EmbeddedModule> modules;
    try {
      modules = embeddedModules(file);
    } catch (const Failure &failure) {
      throw Failure(options->binary + ": " + failure.what());
    }
    if (modules.empty())
      throw Failure(options->binary + ": nothing in it was compiled with the plugin");
    writeText("", options->json ? asJson(modules, options->all) : asText(modules, options->all));
    code = 0;
  });
}

} // namespace gpuinstr::cli
