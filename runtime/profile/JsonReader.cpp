// Reads the profile from JSON of docs/profile.schema.json, in one pass and without a tree.
// SPDX-License-Identifier: Apache-2.0
#include "profile/Json.h"
#include "profile/JsonFields.h"
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace gpuinstr::profile {

namespace {

struct Type;

struct Member {
  std::string_view name;
  std::size_t offset;
  const Type *type;
};

/// How values of one C++ type are read. A setter that is null or returns false: not such a value.
struct Type {
  const char *expected = nullptr; ///< null: other values are passed over
  bool (*boolean)(void *, bool) = nullptr;
  bool (*text)(void *, const std::string &) = nullptr;
  bool (*negative)(void *, int64_t) = nullptr;
  bool (*natural)(void *, uint64_t) = nullptr;
  bool (*real)(void *, double) = nullptr;
  void (*clear)(void *) = nullptr;   ///< of lists and objects
  void *(*append)(void *) = nullptr; ///< of lists: one more element
  const Type *element = nullptr;
  std::vector<Member> members; ///< of objects
};

template <class T> const Type &typeOf();

template <class T> bool set(void *at, T value) {
  *static_cast<T *>(at) = value;
  return true;
}

void describe(Type &type, bool *) {
  type.expected = "a boolean";
  type.boolean = set<bool>;
}

void describe(Type &type, std::string *) {
  type.expected = "a string";
  type.text = [](void *at, const std::string &value) {
    *static_cast<std::string *>(at) = value;
    return true;
  };
}

void describe(Type &type, double *) {
  type.expected = "a number";
  type.real = set<double>;
  type.natural = [](void *at, uint64_t value) { return set(at, static_cast<double>(value)); };
  type.negative = [](void *at, int64_t value) { return set(at, static_cast<double>(value)); };
}

template <class T> std::enable_if_t<std::is_integral_v<T>> describe(Type &type, T *) {
  using Limits = std::numeric_limits<T>;
  type.natural = [](void *at, uint64_t value) {
    return value <= static_cast<uint64_t>(Limits::max()) && set(at, static_cast<T>(value));
  };
  type.expected = "an unsigned integer in range";
  if constexpr (std::is_signed_v<T>) {
    type.expected = "an integer in range";
    type.negative = [](void *at, int64_t value) {
      return value >= static_cast<int64_t>(Limits::min()) && set(at, static_cast<T>(value));
    };
  }
}

template <class T> void describe(Type &type, std::vector<T> *) {
  type.expected = "an array";
  type.clear = [](void *at) { static_cast<std::vector<T> *>(at)->clear(); };
  type.append = [](void *at) -> void * {
    return &static_cast<std::vector<T> *>(at)->emplace_back();
  };
  type.element = &typeOf<T>();
}

template <class T> std::enable_if_t<std::is_class_v<T>> describe(Type &type, T *) {
  type.expected = "an object";
  type.clear = [](void *at) { *static_cast<T *>(at) = T(); };
  fields(
      [&, sample = T()](const char *name, auto member) {
        using Value = std::decay_t<decltype(sample.*member)>;
        auto offset = reinterpret_cast<const char *>(&(sample.*member)) -
                      reinterpret_cast<const char *>(&sample);
        type.members.push_back({name, std::size_t(offset), &typeOf<Value>()});
      },
      static_cast<T *>(nullptr));
}

template <class T> const Type &typeOf() {
  static const Type type = [] {
    Type made;
    describe(made, static_cast<T *>(nullptr));
    return made;
  }();
  return type;
}

/// The events of nlohmann's parser, which put each value into its place in the profile.
class Reader {
public:
  Profile profile;
  std::string schema;
  uint64_t version = 0;
  bool isObject = false;
  std::string wrong; ///< the first value of another type, with its path

  bool null() {
    return value([](Place) { return false; });
  }
  bool boolean(bool given) {
    return value([&](Place p) { return p.type->boolean && p.type->boolean(p.at, given); });
  }
  bool number_integer(int64_t given) {
    return value([&](Place p) { return p.type->negative && p.type->negative(p.at, given); });
  }
  bool number_unsigned(uint64_t given) {
    return value([&](Place p) { return p.type->natural && p.type->natural(p.at, given); });
  }
  bool number_float(double given, const std::string &) {
    return value([&](Place p) { return p.type->real && p.type->real(p.at, given); });
  }
  bool string(const std::string &given) {
    return value([&](Place p) { return p.type->text && p.type->text(p.at, given); });
  }
  bool binary(const std::vector<uint8_t> &) { return false; } // not in text
  bool start_object(std::size_t) {
    isObject |= Open.empty() && !Skipped;
    return start(false);
  }
  bool start_array(std::size_t) { return start(true); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool key(const std::string &name) {
    if (!Skipped)
      Open.back().seek(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &) {
    return false;
  }

private:
  struct Place {
    void *at;
    const Type *type; ///< null: nothing of the profile
  };
  /// An object or list whose values come.
  struct Container {
    Place self;
    std::size_t next = 0; ///< the member after the last one, which is looked at first; the index
    const Member *member = nullptr; ///< null: unknown

    void seek(std::string_view name) {
      const std::vector<Member> &all = self.type->members;
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t at = (next + i) % all.size();
        if (all[at].name != name)
          continue;
        member = &all[at];
        next = at + 1;
        return;
      }
      member = nullptr;
    }
  };

  /// Where the value goes that comes now.
  Place place() {
    if (Skipped || Open.empty())
      return {nullptr, nullptr};
    Container &in = Open.back();
    if (in.self.type->append) {
      ++in.next;
      return {in.self.type->append(in.self.at), in.self.type->element};
    }
    if (!in.member)
      return {nullptr, nullptr};
    return {static_cast<char *>(in.self.at) + in.member->offset, in.member->type};
  }

  template <class Take> bool value(Take take) {
    Place to = place();
    if (to.type && !take(to))
      refuse(*to.type);
    return true;
  }

  void refuse(const Type &type) {
    if (!wrong.empty() || !type.expected)
      return;
    for (const Container &in : Open)
      wrong += "/" + (in.member ? std::string(in.member->name) : std::to_string(in.next - 1));
    wrong += std::string(": expected ") + type.expected;
  }

  bool start(bool list) {
    Place to = Open.empty() && isObject && !Skipped ? Place{this, &root()} : place();
    bool fits = to.type && to.type->clear && list == (to.type->append != nullptr);
    if (to.type && !fits)
      refuse(*to.type);
    if (!fits) {
      ++Skipped;
      return true;
    }
    if (!Open.empty())
      to.type->clear(to.at); // of a key that comes again the last value counts
    Open.push_back({to});
    return true;
  }

  bool end() {
    if (Skipped)
      --Skipped;
    else
      Open.pop_back();
    return true;
  }

  /// The document: the profile's members, and its head, where checkHead says what is wrong.
  static const Type &root() {
    static const Type name = [] {
      Type made = typeOf<std::string>();
      made.expected = nullptr;
      return made;
    }();
    static const Type number = [] {
      Type made = typeOf<uint64_t>();
      made.expected = nullptr;
      return made;
    }();
    static const Type document = [] {
      static Reader sample;
      auto offset = [](const void *member) {
        return std::size_t(static_cast<const char *>(member) -
                           reinterpret_cast<const char *>(&sample));
      };
      Type made = typeOf<Profile>();
      for (Member &member : made.members)
        member.offset += offset(&sample.profile);
      made.members.insert(made.members.begin(), {{"schema", offset(&sample.schema), &name},
                                                 {"version", offset(&sample.version), &number}});
      return made;
    }();
    return document;
  }

  std::vector<Container> Open;
  std::size_t Skipped = 0; ///< depth inside of what is passed over
};

/// What is wrong with the head of the document, "" nothing.
std::string checkHead(const Reader &in) {
  if (!in.isObject)
    return "not an object";
  if (in.schema != SchemaName)
    return std::string("schema is not ") + SchemaName;
  if (in.version < 1)
    return "version is missing";
  if (in.version > SchemaVersion)
    return "version " + std::to_string(in.version) + " is newer than this gpuinstr's " +
           std::to_string(SchemaVersion);
  return "";
}

} // namespace

bool fromJson(std::string_view text, Profile &profile, std::string &error) {
  Reader reader;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader))
    error = "not JSON";
  else if (error = checkHead(reader); error.empty())
    error = reader.wrong;
  if (!error.empty())
    return false;
  profile = std::move(reader.profile);
  return true;
}

} // namespace gpuinstr::profile
