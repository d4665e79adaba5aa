// Checks JSON against the part of JSON Schema 2020-12 that docs/profile.schema.json uses.
// SPDX-License-Identifier: Apache-2.0
//
// A keyword that it does not know is an error, so that the schema cannot say what nobody checks.
#ifndef GPUINSTR_TEST_PROFILE_SCHEMA_H
#define GPUINSTR_TEST_PROFILE_SCHEMA_H

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

namespace gpuinstr::test {

class Schema {
public:
  explicit Schema(nlohmann::json root) : Root(std::move(root)) {}

  /// All violations, "" none. `strict`: a key that the schema does not list is one, too.
  std::string check(const nlohmann::json &value, bool strict) {
    Errors.clear();
    Strict = strict;
    visit(Root, value, "");
    return Errors;
  }

private:
  using json = nlohmann::json; // NOLINT(readability-identifier-naming): the library's own name

  void error(const std::string &at, const std::string &text) { Errors += at + ": " + text + "\n"; }

  static bool isType(const json &value, const std::string &type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number());
  }

  void visit(const json &schema, const json &value, const std::string &at) {
    for (const auto &[keyword, rule] : schema.items())
      apply(schema, keyword, rule, value, at);
    if (Strict && value.is_object() && schema.contains("properties"))
      for (const auto &[key, ignored] : value.items())
        if (!schema["properties"].contains(key))
          error(at, "'" + key + "' is not in the schema");
  }

  void apply(const json &schema, const std::string &keyword, const json &rule, const json &value,
             const std::string &at) {
    if (keyword == "$schema" || keyword == "title" || keyword == "description" ||
        keyword == "$defs") {
      return;
    } else if (keyword == "$ref") {
      visit(Root.at(json::json_pointer(rule.get<std::string>().substr(1))), value, at);
    } else if (keyword == "type") {
      if (!isType(value, rule))
        error(at, "is no " + rule.get<std::string>());
    } else if (keyword == "const") {
      if (value != rule)
        error(at, "is not " + rule.dump());
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end())
        error(at, value.dump() + " is not allowed");
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())))
        error(at, value.dump() + " does not match " + rule.dump());
    } else if (keyword == "minimum") {
      if (value.is_number() && value < rule)
        error(at, value.dump() + " is below " + rule.dump());
    } else if (keyword == "required") {
      for (const json &key : rule)
        if (value.is_object() && !value.contains(key.get<std::string>()))
          error(at, key.dump() + " is missing");
    } else if (keyword == "properties") {
      for (const auto &[key, inner] : rule.items())
        if (value.is_object() && value.contains(key))
          visit(inner, value[key], at + "/" + key);
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        visit(rule, value[i], at + "/" + std::to_string(i));
    } else {
      error(at, "the schema uses an unknown keyword, " + keyword);
    }
    (void)schema;
  }

  json Root;
  bool Strict = false;
  std::string Errors;
};

} // namespace gpuinstr::test

#endif
