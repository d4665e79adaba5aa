// The HTML page put together from its parts (tools/cli/html/page).
// SPDX-License-Identifier: Apache-2.0
#include "html/HtmlPage.h"
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

} // namespace gpuinstr::cli
