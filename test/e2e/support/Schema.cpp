// Validates JSON against the part of JSON Schema that docs/profile.schema.json uses.
// SPDX-License-Identifier: Apache-2.0
#include "Schema.h"

#include <regex>
#include <set>

namespace gpuinstr::e2e {
namespace {

using nlohmann::json;

bool hasType(const json &value, const std::string &type) {
  if (type == "object")
    return value.is_object();
  if (type == "array")
    return value.is_array();
  if (type == "string")
    return value.is_string();
  if (type == "boolean")
    return value.is_boolean();
  if (type == "null")
    return value.is_null();
  if (type == "integer")
    return value.is_number_integer() ||
           (value.is_number_float() && value.get<double>() == double(value.get<int64_t>()));
  return type == "number" && value.is_number();
}

class Validator {
public:
  explicit Validator(const json &root) : Root(root) {}

  void check(const json &schema, const json &value, const std::string &at) {
    if (schema.is_boolean()) {
      if (!schema.get<bool>())
        fail(at, "is not allowed");
      return;
    }
    for (auto &rule : schema.items())
      apply(rule.key(), rule.value(), schema, value, at);
  }

  std::vector<std::string> messages;

private:
  void fail(const std::string &at, const std::string &message) {
    messages.push_back((at.empty() ? "/" : at) + ": " + message);
  }

  void apply(const std::string &key, const json &rule, const json &schema, const json &value,
             const std::string &at) {
    static const std::set<std::string> notes = {"$schema", "$id",         "$defs",    "$comment",
                                                "title",   "description", "examples", "default"};
    if (notes.count(key))
      return;
    if (key == "$ref")
      return reference(rule.get<std::string>(), value, at);
    if (key == "type")
      return type(rule, value, at);
    if (key == "enum")
      return oneOf(rule, value, at);
    if (key == "const")
      return value == rule ? void() : fail(at, "is " + value.dump() + ", not " + rule.dump());
    if (key == "required")
      return required(rule, value, at);
    if (key == "properties" || key == "additionalProperties")
      return properties(key, rule, schema, value, at);
    if (key == "items") {
      for (size_t i = 0; value.is_array() && i < value.size(); ++i)
        check(rule, value[i], at + "/" + std::to_string(i));
      return;
    }
    limits(key, rule, value, at);
  }

  void reference(const std::string &path, const json &value, const std::string &at) {
    json::json_pointer pointer(path.empty() || path[0] != '#' ? "/missing" : path.substr(1));
    if (!Root.contains(pointer))
      return fail(at, "the schema refers to '" + path + "', which it lacks");
    check(Root[pointer], value, at);
  }

  void type(const json &rule, const json &value, const std::string &at) {
    bool ok = false;
    for (const json &name : rule.is_array() ? rule : json::array({rule}))
      ok |= hasType(value, name.get<std::string>());
    if (!ok)
      fail(at, "is " + value.dump() + ", not of type " + rule.dump());
  }

  void oneOf(const json &rule, const json &value, const std::string &at) {
    for (const json &allowed : rule)
      if (allowed == value)
        return;
    fail(at, "is " + value.dump() + ", not one of " + rule.dump());
  }

  void required(const json &rule, const json &value, const std::string &at) {
    if (value.is_object())
      for (const json &name : rule)
        if (!value.contains(name.get<std::string>()))
          fail(at, "lacks " + name.dump());
  }

  void properties(const std::string &key, const json &rule, const json &schema, const json &value,
                  const std::string &at) {
    if (!value.is_object())
      return;
    json named = schema.value("properties", json::object());
    for (auto &member : value.items()) {
      bool known = named.contains(member.key());
      if (key == "properties" && known)
        check(rule[member.key()], member.value(), at + "/" + member.key());
      if (key == "additionalProperties" && !known)
        check(rule, member.value(), at + "/" + member.key());
    }
  }

  void limits(const std::string &key, const json &rule, const json &value, const std::string &at) {
    bool ok = true;
    if (key == "minimum")
      ok = !value.is_number() || value.get<double>() >= rule.get<double>();
    else if (key == "maximum")
      ok = !value.is_number() || value.get<double>() <= rule.get<double>();
    else if (key == "minItems")
      ok = !value.is_array() || value.size() >= rule.get<size_t>();
    else if (key == "minLength")
      ok = !value.is_string() || value.get<std::string>().size() >= rule.get<size_t>();
    else if (key == "pattern")
      ok = !value.is_string() ||
           std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
    else
      return fail(at, "the schema uses '" + key + "', which the checker does not know");
    if (!ok)
      fail(at, "is " + value.dump() + ", against " + key + " " + rule.dump());
  }

  const json &Root;
};

} // namespace

std::vector<std::string> validate(const json &schema, const json &value) {
  Validator validator(schema);
  validator.check(schema, value, "");
  return validator.messages;
}

} // namespace gpuinstr::e2e
