// Reads the text of inline PTX: statements without control flow.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/PtxText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpuinstr {

bool PtxStatement::has(StringRef Part) const { return is_contained(Parts, Part); }

SmallVector<std::string, 6> splitPtxOperands(StringRef Text) {
  SmallVector<std::string, 6> Out;
  unsigned Depth = 0;
  std::string Part;
  auto Finish = [&] {
    if (StringRef Trimmed = StringRef(Part).trim(); !Trimmed.empty())
      Out.push_back(Trimmed.str());
    Part.clear();
  };
  for (char C : Text) {
    Depth += C == '{' || C == '[';
    Depth -= C == '}' || C == ']';
    // shfl and setp write `d|p`.
    if ((C == ',' || C == '|') && !Depth)
      Finish();
    else
      Part += C;
  }
  Finish();
  return Out;
}

SmallVector<std::string, 6> ptxParts(StringRef Operand) {
  if (Operand.consume_front("{") && Operand.consume_back("}"))
    return splitPtxOperands(Operand);
  return {Operand.str()};
}

static std::string withoutComments(StringRef Text) {
  std::string Out;
  while (!Text.empty()) {
    if (Text.consume_front("//"))
      Text = Text.drop_until([](char C) { return C == '\n'; });
    else if (Text.consume_front("/*"))
      Text = Text.substr(std::min(Text.size(), Text.find("*/") + 2));
    else {
      Out += isSpace(Text[0]) ? ' ' : Text[0];
      Text = Text.drop_front();
    }
  }
  return Out;
}

StringSet<> ptxRegisters(StringRef Raw) {
  constexpr unsigned Most = 256;
  const std::string Clean = withoutComments(Raw);
  StringSet<> Out;
  SmallVector<StringRef, 8> Lines;
  StringRef(Clean).split(Lines, ';');
  for (StringRef Line : Lines) {
    Line = Line.trim(" {}");
    if (!Line.consume_front(".reg"))
      continue;
    Line = Line.ltrim();
    while (Line.starts_with(".")) // types: .v2 .b32
      Line = Line.drop_until([](char C) { return C == ' '; }).ltrim();
    for (StringRef Name : splitPtxOperands(Line)) {
      unsigned Count = 0;
      const auto [Prefix, Number] = Name.split('<');
      if (Number.trim(" >").getAsInteger(10, Count))
        Out.insert(Name.trim());
      for (unsigned I = 0; I < std::min(Count, Most); ++I)
        Out.insert((Prefix.trim() + Twine(I)).str());
    }
  }
  return Out;
}

SmallVector<PtxStatement, 4> readPtx(StringRef Raw) {
  const std::string Clean = withoutComments(Raw);
  StringRef Text = Clean;
  SmallVector<PtxStatement, 4> Out;
  for (;;) {
    Text = Text.ltrim(" {};");
    if (Text.empty())
      return Out;
    const size_t End = std::min(Text.find(';'), Text.size());
    StringRef Line = Text.take_front(End).trim();
    Text = Text.drop_front(End);
    if (Line.starts_with(".reg"))
      continue;
    PtxStatement S;
    S.Text = Line.str();
    if (Line.consume_front("@")) {
      S.Negated = Line.consume_front("!");
      const size_t Space = std::min(Line.find(' '), Line.size());
      S.Guard = Line.take_front(Space).str();
      Line = Line.drop_front(Space).ltrim();
    }
    const size_t Space = std::min(Line.find(' '), Line.size());
    SmallVector<StringRef, 6> Parts;
    Line.take_front(Space).split(Parts, '.');
    for (StringRef Part : Parts)
      S.Parts.push_back(Part.str());
    // The end of a block on the same line: `mov.u32 a, b; }` is behind a semicolon, so nothing
    // here.
    S.Operands = splitPtxOperands(Line.drop_front(Space));
    S.Pair = Line.drop_front(Space).take_until([](char C) { return C == ','; }).contains('|');
    Out.push_back(std::move(S));
  }
}

} // namespace gpuinstr
