// Writes the profile as JSON of docs/profile.schema.json.
// SPDX-License-Identifier: Apache-2.0
#include "profile/Json.h"
#include "profile/JsonFields.h"
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace gpuinstr::profile {

namespace {

using Json = nlohmann::ordered_json; // keys stay in the order of the structs

Json write(bool value) { return value; }
Json write(const std::string &value) { return value; }
Json write(double value) { return std::isfinite(value) ? value : 0.0; }
template <class T> std::enable_if_t<std::is_integral_v<T>, Json> write(T value) { return value; }
template <class T> Json write(const std::vector<T> &list);

template <class T> std::enable_if_t<std::is_class_v<T>, Json> write(const T &value) {
  Json out = Json::object();
  fields([&](const char *name, auto member) { out.emplace(name, write(value.*member)); },
         static_cast<T *>(nullptr));
  return out;
}

template <class T> Json write(const std::vector<T> &list) {
  Json out = Json::array();
  for (const T &item : list)
    out.push_back(write(item));
  return out;
}

} // namespace

std::string toJson(const Profile &profile) {
  Json out = Json::object();
  out["schema"] = SchemaName;
  out["version"] = SchemaVersion;
  out.update(write(profile));
  if (profile.merged.processes == 0)
    out.erase("merged");
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gpuinstr::profile
