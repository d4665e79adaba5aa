// gpuinstr annotate: the source with calls, bytes, times and findings beside each line.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "export/Annotate.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "lookup/SourceFiles.h"
#include "merge/MergeFiles.h"

namespace gpuinstr::cli {

namespace {

class AnnotateCommand : public Command {
  std::vector<std::string> Files;
  std::string Source, Out;
  AnnotateStyle Style;

  void declare(OptionList &list) override {
    list.words("FILE", Files, "Profiles, or folders of them").required();
    list.value("--source", Source, "DIR", "Folder that holds the sources");
    list.value("--file", Style.only, "GLOB", "Only source files that match");
    list.value("-C,--context", Style.context, "N", "Lines around each call (3)");
    list.flag("--whole", Style.whole, "Whole files");
    list.value("-o,--output", Out, "FILE", "Instead of the standard output");
  }

  int run(const Invocation &) override {
    Sources sources(Source);
    std::string text = annotate(loadAll(Files), sources, Style);
    if (text.empty())
      throw Failure("no call or finding in a source file" +
                    (Style.only.empty() ? "" : " that matches " + Style.only));
    writeText(Out, text);
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeAnnotate() { return std::make_unique<AnnotateCommand>(); }

} // namespace gpuinstr::cli
