// What a wrapper's function calls its operands, in the words of the line that uses it.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/UserWords.h"
#include "calls/sites/CallerRows.h"
#include <algorithm>
#include <cctype>

namespace gpuinstr {

namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The letters, digits and underscores that begin there.
std::string_view wordAt(std::string_view text, size_t at = 0) {
  size_t end = at;
  while (end < text.size() && isWord(text[end]))
    ++end;
  return text.substr(at, end - at);
}

/// Field of Field::create; empty: of no class.
std::string_view classOf(std::string_view function) {
  const size_t colons = function.rfind("::");
  return colons == function.npos ? "" : function.substr(0, colons);
}

/// Whether both are functions of one class.
bool isOfSameClass(const gpuinstr_site &line) {
  const std::string_view name = classOf(line.callee);
  return !name.empty() && name == classOf(line.function);
}

/// create() in another function of Field, or of a class that Field is a base of.
bool isOfSameObject(const gpuinstr_site &line) {
  return !*line.variable && (line.flags & GPUINSTR_SITE_OWN_OBJECT || isOfSameClass(line));
}

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Whether the line's variable is what it gives the address of, as `pool.get(&d_x, n)` does, and
/// not the object.
bool isAddressed(const gpuinstr_site &line) {
  std::string_view variable = line.variable;
  if (isMember(variable))
    variable.remove_prefix(6);
  const bool isPointed = variable.substr(0, 1) == "*";
  const std::string given =
      isPointed ? std::string(variable.substr(1)) : "&" + std::string(variable);
  return std::any_of(line.arguments, line.arguments + line.num_arguments,
                     [&](std::string_view argument) {
                       while (!isPointed && !argument.empty() && argument.back() == ')')
                         argument.remove_suffix(1); // (void **)(&d_x)
                       return isPointed ? argument == given : endsWith(argument, given);
                     });
}

/// Whether the line's variable, if it has one, is the object whose function it calls.
bool isOfObject(const gpuinstr_site &line) {
  if (line.flags & GPUINSTR_SITE_RECEIVES)
    return constructs(line);
  return !*line.variable || !isAddressed(line);
}

/// Whether operators stand outside of parentheses: `base + n`, not `f(a + b)`.
bool isCompound(std::string_view text) {
  int depth = 0;
  for (char c : text) {
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (c == ' ' && depth == 0)
      return true;
  }
  return false;
}

/// `object`, and behind it the operator that is at text[end], as one writes them together.
std::string member(std::string object, std::string_view text, size_t &end) {
  const bool isArrow = text.substr(end, 2) == "->";
  if (object.empty() || (!isArrow && text.substr(end, 1) != "."))
    return object;
  end += isArrow ? 2 : 1;
  const bool isPrefixed = object[0] == '&' || object[0] == '*', isOpen = isCompound(object);
  if (isPrefixed && !isOpen && (object[0] == '&') == isArrow)
    return object.substr(1) + (isArrow ? "." : "->");
  return (isPrefixed || isOpen ? "(" + object + ")" : object) + (isArrow ? "->" : ".");
}

/// Of (void **)&d_x and reinterpret_cast<void **>(&d_x): d_x.
std::string withoutCast(std::string told) {
  const size_t cast = told.rfind(")&"), named = told.rfind(">(&");
  if (told.compare(0, 2, "*(") == 0 && cast != told.npos)
    return told.substr(cast + 2);
  if (named != told.npos && told.back() == ')')
    return told.substr(named + 3, told.size() - named - 4);
  return told;
}

} // namespace

bool isConstructor(std::string_view callee) {
  size_t colons = callee.rfind("::");
  if (colons == callee.npos)
    return false;
  std::string_view name = callee.substr(colons + 2), type = callee.substr(0, colons);
  type = type.substr(0, type.find('<'));
  return !name.empty() && type.size() >= name.size() &&
         type.substr(type.size() - name.size()) == name &&
         (type.size() == name.size() || !isWord(type[type.size() - name.size() - 1]));
}

bool isMember(std::string_view variable) { return variable.substr(0, 6) == "this->"; }

const char *const *parametersOf(const gpuinstr_site &site) {
  return site.arguments && namesParameters(site) ? site.arguments + site.num_arguments : nullptr;
}

UserWords::UserWords(const gpuinstr_site &call, const gpuinstr_site *const *lines, unsigned user,
                     bool isNamed)
    : Call(call), Lines(lines), User(user), IsNamed(isNamed) {
  for (unsigned i = isNamed ? user + 1 : 0; i-- > 0;)
    if (!enter(i ? *lines[i - 1] : call, i)) {
      Words.clear(); // those of some function in between
      break;
    }
}

void UserWords::addResult(std::string_view part, std::string_view receiver) {
  Words.emplace_back(wordAt(part), receiver);
}

bool UserWords::isGiven(std::string_view text) const {
  text.remove_prefix(text.substr(0, 1) == "*");
  return std::any_of(Words.begin(), Words.end(),
                     [first = wordAt(text)](const auto &word) { return word.first == first; });
}

std::string UserWords::of(std::string_view text) const {
  std::string told;
  for (size_t at = 0; at < text.size();) {
    const std::string_view word = wordAt(text, at);
    size_t end = at + word.size();
    char before = told.empty() ? ' ' : told.back();
    std::string pointed = before == '*' && text.substr(end, 1) == ")" ? given(word) : "";
    if (word.empty()) {
      told += text[end++];
    } else if (told.size() > 1 && told[told.size() - 2] == '(' && pointed[0] == '&') {
      told.replace(told.size() - 2, 2, pointed, 1);
      ++end;
    } else
      told += before == '.' || before == '>' || before == ':' ? std::string(word)
                                                              : member(given(word), text, end);
    at = end;
  }
  return told.compare(0, 2, "*&") == 0 ? told.substr(2) : told;
}

std::string UserWords::behindFirst(std::string_view member) const {
  const std::string_view name = wordAt(member);
  return std::string(name) + of(member.substr(name.size()));
}

std::string UserWords::ofVariable(std::string_view text) const {
  return isMember(text) ? ofMember(text, 0) : of(text);
}

std::string UserWords::ofArgument(std::string_view text) const {
  std::string told = ofVariable(text);
  return told.compare(0, 6, "this->") == 0 ? told.substr(6) : told;
}

/// `op.weights.p` for `this->p`, where op calls a function of its `weights`. `first`: the line that
/// calls the function whose object has the member. As far as the objects are known.
std::string UserWords::ofMember(std::string_view member, unsigned first) const {
  std::string told(member);
  for (unsigned i = first; i <= User; ++i) {
    const gpuinstr_site &line = *Lines[i];
    const UserWords words(i ? *Lines[i - 1] : Call, Lines + i, 0, i > first || IsNamed);
    if (!isMember(told) && !words.isGiven(told))
      break;
    if (isMember(told)) // this->parts[k].ptr
      told = told.substr(0, 6) + words.behindFirst(std::string_view(told).substr(6));
    if (!isMember(told))
      told = words.of(told); // of a parameter's object
    else if (isOfObject(line) && *line.variable)
      told = memberOf(line, std::string_view(told).substr(6));
    else if (!isOfObject(line) && !isOfSameClass(line))
      break;
  }
  return told;
}

/// From the words of the function that has Lines[i] to those of the one that it calls, which has
/// `inside`. False: what its parameters are called is not known.
bool UserWords::enter(const gpuinstr_site &inside, unsigned i) {
  const gpuinstr_site &line = *Lines[i];
  const char *const *names = parametersOf(inside);
  if (!names)
    return false;
  std::vector<std::pair<std::string_view, std::string>> words;
  for (unsigned n = 0; names[n] && n < line.num_arguments; ++n)
    if (*names[n])
      words.emplace_back(names[n], isMember(line.arguments[n]) && i < User
                                       ? ofMember(line.arguments[n], i + 1)
                                       : of(line.arguments[n]));
  Words = std::move(words);
  return true;
}

std::string UserWords::given(std::string_view word) const {
  for (const auto &[name, argument] : Words)
    if (name == word)
      return argument;
  return std::string(word);
}

std::string namedAt(const gpuinstr_site &line, const gpuinstr_site &call, std::string_view text) {
  const gpuinstr_site *const lines[] = {&line};
  const UserWords words(call, lines, 0, true);
  return words.isGiven(text) ? withoutCast(words.of(text)) : "";
}

std::string memberAt(const gpuinstr_site &line, std::string_view member) {
  if (isOfSameObject(line))
    return std::string(member);
  return isOfObject(line) && *line.variable ? memberOf(line, member.substr(6)) : "";
}

bool constructs(const gpuinstr_site &line) {
  return (line.flags & GPUINSTR_SITE_RECEIVES) &&
         (isConstructor(line.callee) || line.flags & GPUINSTR_SITE_NEW); // std::make_unique's too
}

std::string memberOf(const gpuinstr_site &line, std::string_view member) {
  std::string object = line.variable;
  const bool isPrefixed = object[0] == '*' || object[0] == '&';
  return (isPrefixed ? "(" + object + ")" : object) +
         (line.flags & GPUINSTR_SITE_NEW ? "->" : ".") + std::string(member);
}

} // namespace gpuinstr
