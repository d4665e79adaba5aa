// Looks into a profile the way expectations speak of it.
// SPDX-License-Identifier: Apache-2.0
#include "View.h"
#include "Text.h"

namespace gpuinstr::e2e {

using nlohmann::json;

const json *siteOf(const json &profile, const std::string &id) {
  auto sites = profile.find("sites");
  if (sites == profile.end())
    return nullptr;
  for (const json &site : *sites)
    if (site.value("id", "") == id)
      return &site;
  return nullptr;
}

static void append(std::vector<const json *> &to, const json &from, const char *key) {
  auto list = from.find(key);
  if (list != from.end())
    for (const json &item : *list)
      to.push_back(&item);
}

std::vector<const json *> objectsOf(Subject subject, const json &profile) {
  std::vector<const json *> objects;
  switch (subject) {
  case Subject::Finding:
  case Subject::Total:
    append(objects, profile, "findings");
    break;
  case Subject::Site:
    append(objects, profile, "sites");
    break;
  case Subject::Process:
    if (profile.contains("process"))
      objects.push_back(&profile["process"]);
    break;
  case Subject::Device:
    append(objects, profile, "devices");
    break;
  case Subject::Peak:
    append(objects, profile, "peak_holders");
    break;
  case Subject::Allocated:
    append(objects, profile, "allocations");
    break;
  case Subject::StartUp:
    if (profile.contains("process") && profile["process"].contains("startup"))
      objects.push_back(&profile["process"]["startup"]);
    break;
  case Subject::Holder:
    for (const json *finding : objectsOf(Subject::Finding, profile))
      append(objects, *finding, "holders");
    break;
  case Subject::Image:
    if (profile.contains("coverage"))
      append(objects, profile["coverage"], "images");
    break;
  case Subject::Suppression:
    append(objects, profile, "suppressions");
    break;
  }
  return objects;
}

bool counts(const json &finding) {
  std::string grade = finding.value("grade", "");
  return (grade == "proven" || grade == "likely") && !finding.value("suppressed", false);
}

/// A list as one text: `a, b`.
static json joined(const json &value) {
  if (!value.is_array())
    return value;
  std::string text;
  for (const json &item : value)
    text += (text.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : item.dump());
  return text;
}

static json member(const json *object, const std::string &key) {
  if (!object)
    return "";
  auto found = object->find(key);
  return found == object->end() ? json("") : joined(*found);
}

/// Of a wrapper's row: where the CUDA call stands.
static const json *viaOf(const json &profile, const json *site) {
  auto via = site ? site->find("via") : json::const_iterator();
  return site && via != site->end() && !via->empty()
             ? siteOf(profile, via->back().get<std::string>())
             : nullptr;
}

/// The value that a condition's key names; "" when there is none.
static json valueOf(Subject subject, const json &profile, const json &object,
                    const std::string &key) {
  bool throughSite = subject == Subject::Finding || subject == Subject::Peak ||
                     subject == Subject::Holder || subject == Subject::Allocated ||
                     subject == Subject::StartUp;
  const char *site = subject == Subject::StartUp ? "context_site" : "site";
  if (subject == Subject::Site && key.compare(0, 7, "device-") == 0)
    return object.contains("device") ? member(&object["device"], key.substr(7)) : json("");
  if (subject == Subject::Site && (key == "via" || key == "via-function"))
    return member(viaOf(profile, &object), key == "via" ? "line" : "function");
  if (!throughSite)
    return member(&object, key);
  if (key == "line" || key == "file" || key == "function" || key == "callee")
    return member(siteOf(profile, object.value(site, "")), key);
  if (key == "via" || key == "via-function") {
    const json *call = viaOf(profile, siteOf(profile, object.value(site, "")));
    return member(call, key == "via" ? "line" : "function");
  }
  if (key == "related")
    return member(siteOf(profile, object.value("related", "")), "line");
  if (key == "caller")
    return member(siteOf(profile, object.value("caller", "")), "line");
  if (key.compare(0, 7, "caller-") == 0)
    return member(siteOf(profile, object.value("caller", "")), key.substr(7));
  return member(&object, key);
}

/// The file that a line condition speaks of.
static std::string fileOf(Subject subject, const json &profile, const json &object,
                          const std::string &key) {
  if (key == "via") {
    const json *row =
        subject == Subject::Site ? &object : siteOf(profile, object.value("site", ""));
    const json *call = viaOf(profile, row);
    return call ? baseName(call->value("file", "")) : "";
  }
  const char *through = key == "caller"               ? "caller"
                        : key == "related"            ? "related"
                        : subject == Subject::StartUp ? "context_site"
                                                      : "site";
  const json *site =
      subject == Subject::Site ? &object : siteOf(profile, object.value(through, ""));
  return site ? baseName(site->value("file", "")) : "";
}

bool satisfies(const Condition &c, const json &value) {
  if (value.is_boolean())
    return c.value == (value.get<bool>() ? "1" : "0");
  if (value.is_number()) {
    std::optional<int64_t> wanted = c.file.empty() ? parseNumber(c.value) : c.number;
    if (!wanted)
      return globMatches(c.value, value.dump());
    double is = value.get<double>(), want = double(*wanted);
    return c.op == '>' ? is >= want : c.op == '<' ? is <= want : is == want;
  }
  if (!value.is_string() || c.op != '=' || !c.file.empty())
    return false;
  std::string text = value.get<std::string>();
  return globMatches(c.value, text) || (c.key == "file" && globMatches(c.value, baseName(text)));
}

std::string firstDifference(const Expectation &e, const json &profile, const json &object) {
  bool speaksOfSuppression = false;
  for (const Condition &c : e.conditions) {
    speaksOfSuppression |= c.key == "suppressed";
    if (c.key == "matches")
      continue;
    if (!satisfies(c, valueOf(e.subject, profile, object, c.key)) ||
        (!c.file.empty() && fileOf(e.subject, profile, object, c.key) != c.file))
      return c.key;
  }
  if (e.subject == Subject::Finding && !speaksOfSuppression && object.value("suppressed", false))
    return "suppressed";
  return "";
}

bool matches(const Expectation &e, const json &profile, const json &object) {
  return firstDifference(e, profile, object).empty();
}

std::string describe(Subject subject, const json &profile, const json &object) {
  static const std::vector<const char *> finding = {"memory",
                                                    "variable",
                                                    "type",
                                                    "function",
                                                    "file",
                                                    "line",
                                                    "count",
                                                    "bytes",
                                                    "caller",
                                                    "caller-function",
                                                    "caller-variable",
                                                    "related",
                                                    "error",
                                                    "suppressed"};
  std::vector<std::string> keys;
  std::string text;
  if (subject == Subject::Finding || subject == Subject::Total) {
    text = object.value("pattern", "?") + " " + object.value("grade", "?");
    keys.assign(finding.begin(), finding.end());
    subject = Subject::Finding;
  } else {
    for (auto &item : object.items())
      keys.push_back(item.key());
  }
  for (const std::string &key : keys) {
    json value = valueOf(subject, profile, object, key);
    if (value == "" || value == false || value.is_object())
      continue;
    std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    bool quote = shown.find(' ') != std::string::npos;
    text += (text.empty() ? "" : " ") + key + "=" + (quote ? "\"" + shown + "\"" : shown);
  }
  return text;
}

std::string spell(const Expectation &e) {
  std::string text;
  for (const Condition &c : e.conditions) {
    if (c.key == "pattern" || c.key == "grade") {
      text += (text.empty() ? "" : " ") + c.value;
      continue;
    }
    text += (text.empty() ? "" : " ") + c.key + (c.op == '=' ? "" : std::string(1, c.op)) + "=";
    text += c.file.empty() ? c.value : c.file + ":" + std::to_string(c.number);
  }
  return text;
}

} // namespace gpuinstr::e2e
