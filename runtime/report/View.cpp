// Look-ups and line building that all sections share.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>
#include <numeric>

namespace gpuinstr::report {

using profile::Finding;
using profile::Site;

static std::string_view fileName(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1); // npos + 1 is 0
}

View::View(const profile::Profile &profile, const ReportStyle &style)
    : profile(profile), style(style) {
  for (const Site &site : profile.sites) {
    Sites.emplace(site.id, &site);
    FilesByName[std::string(fileName(site.file))].insert(site.file);
  }
  for (const auto &[name, files] : FilesByName)
    for (std::string_view file : files)
      if (!file.empty())
        FileTexts.insert(fileText(file));
}

const Site *View::site(const std::string &id) const {
  auto found = Sites.find(id);
  return id.empty() || found == Sites.end() ? nullptr : found->second;
}

std::string View::fileText(std::string_view path) const {
  std::string_view name = fileName(path);
  auto files = FilesByName.find(std::string(name));
  if (files != FilesByName.end() && files->second.size() > 1 && name.size() < path.size()) {
    std::string_view folder = fileName(path.substr(0, path.size() - name.size() - 1));
    name = path.substr(path.size() - name.size() - 1 - folder.size());
  }
  return printable(name);
}

std::string View::place(const Site *site) const {
  if (!site || site->file.empty())
    return "?";
  std::string text = fileText(site->file);
  return site->line ? text + ":" + std::to_string(site->line) : text;
}

std::string View::shortened(const std::string &text, std::size_t columns) const {
  const std::size_t colon = text.rfind(':');
  const std::string file = text.substr(0, colon);
  if (displayWidth(text) <= columns || columns < 8 || !FileTexts.count(file))
    return shortenName(text, columns);
  const std::string line = colon == text.npos ? "" : text.substr(colon);
  // Names that begin alike mostly differ just before the extension.
  for (std::size_t tail = (columns - 3) / 2; tail <= columns - 3; ++tail) {
    std::string told = shorten(text, columns, tail);
    if (std::none_of(FileTexts.begin(), FileTexts.end(), [&](const std::string &other) {
          return other != file && shorten(other + line, columns, tail) == told;
        }))
      return told;
  }
  return shorten(text, columns);
}

const Site *View::shown(const Finding &finding) const {
  return shown(finding.site, finding.caller, finding.variable);
}

const Site *View::shown(const std::string &ownId, const std::string &callerId,
                        const std::string &variable) const {
  // A wrapper's caller is where the memory gets its name; any other caller only led here.
  const Site *caller = site(callerId), *own = site(ownId);
  bool named = caller && !caller->variable.empty() && caller->variable == variable;
  return caller && (!own || (named && own->variable != variable)) ? caller : own;
}

Line headed(std::string text, Paint paint) {
  std::size_t end = 0;
  while (end < text.size() && text[end] >= 'A' && text[end] <= 'Z')
    ++end;
  return {std::move(text), end, paint};
}

std::vector<std::size_t> fitWidths(std::vector<std::size_t> widths, std::size_t columns) {
  std::size_t gaps = widths.empty() ? 0 : 2 * (widths.size() - 1);
  std::size_t sum = std::accumulate(widths.begin(), widths.end(), gaps);
  while (sum > columns) {
    std::size_t widest = widths.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
    if (widest <= 1)
      break;
    // All the widest go down to the next width at once: names can be tens of kilobytes long.
    std::size_t next = 1, tied = 0;
    for (std::size_t width : widths) {
      tied += width == widest;
      next = width < widest ? std::max(next, width) : next;
    }
    std::size_t step = std::min(widest - next, std::max<std::size_t>(1, (sum - columns) / tied));
    for (std::size_t &width : widths)
      if (width == widest && sum > columns) {
        width -= step;
        sum -= step;
      }
  }
  return widths;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines{""};
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = shorten(text.substr(at, end - at), columns);
    at = end + 1;
    std::string &last = lines.back();
    if (!last.empty() && displayWidth(last) + 1 + displayWidth(word) > columns)
      lines.push_back(std::move(word));
    else
      last += (last.empty() ? "" : " ") + word;
  }
  return lines;
}

Lines wrappedLines(const View &view, std::size_t indent, std::string_view text) {
  Lines lines;
  for (const std::string &line : wrapped(text, view.style.columns - indent))
    lines.push_back({std::string(indent, ' ') + line});
  return lines;
}

Lines listLines(const ReportStyle &style, const std::string &prefix,
                const std::vector<std::string> &items, const std::string &suffix) {
  Lines lines;
  std::string line = prefix;
  std::size_t indent = displayWidth(prefix), width = indent;
  // Room for one item and what may follow it, however long the item is.
  std::size_t longest = std::string(", + more").size() + std::to_string(items.size()).size() +
                        displayWidth(suffix) + indent;
  longest = style.columns > longest + 10 ? style.columns - longest : 10;
  for (std::size_t i = 0; i < items.size(); ++i) {
    bool last = i + 1 == items.size();
    std::string text = shorten(items[i], longest);
    std::string more = " +" + std::to_string(items.size() - i) + " more" + suffix;
    std::size_t gap = width > indent ? 2 : 0; // ", " stands before every item but the first
    std::size_t after = last ? suffix.size() : style.verbose ? 1 : more.size() + 1;
    if (width > indent && width + gap + displayWidth(text) + after > style.columns) {
      if (!style.verbose) {
        line += "," + more;
        lines.push_back(headed(std::move(line)));
        return lines;
      }
      lines.push_back(headed(line + ","));
      line = std::string(indent, ' ');
      width = indent;
      gap = 0;
    }
    line += (gap ? ", " : "") + text;
    width += gap + displayWidth(text);
  }
  line += suffix;
  lines.push_back(headed(shorten(line, style.columns)));
  return lines;
}

} // namespace gpuinstr::report
