// The call sites embedded in a binary, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "export/EmbeddedSitesText.h"
#include "base/text/Printable.h"
#include "profile/kinds/SiteKind.h"
#include <cstdio>
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
  std::string line = printable(site.file) + ":" + std::to_string(site.line) + ":" +
                     std::to_string(site.column) + ": ";
  line += std::string(profile::textOf(profile::siteKindOf(site.op))) + " " +
          printable(site.callee) + "(" + printable(arguments) + ")";
  if (!site.variable.empty())
    line += " -> " + printable(site.variable);
  if (!site.type.empty())
    line += " : " + printable(site.type);
  return line + " in " + printable(site.function) + "\n";
}

} // namespace

std::string embeddedSitesText(const std::vector<EmbeddedModule> &modules, bool all) {
  std::string out;
  for (const EmbeddedModule &module : modules) {
    std::string lines;
    std::size_t listed = 0;
    for (const EmbeddedSite &site : module.sites)
      if (all || isCall(site)) {
        lines += siteLine(site);
        ++listed;
      }
    out += "# " + printable(module.source) + ": " + plural(listed, "site", "sites") + " (" +
           printable(module.producer) + ", ABI " + std::to_string(module.abi) + ")\n" + lines;
    for (const std::string &name : module.addressesTaken)
      out += "# address taken, calls through it are unseen: " + printable(name) + "\n";
  }
  return out;
}

std::string embeddedSitesJson(const std::vector<EmbeddedModule> &modules, bool all) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const EmbeddedModule &module : modules) {
    Json sites = Json::array();
    for (const EmbeddedSite &site : module.sites)
      if (all || isCall(site))
        sites.push_back({{"id", hexId(site.id)},
                         {"kind", std::string(profile::textOf(profile::siteKindOf(site.op)))},
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

} // namespace gpuinstr::cli
