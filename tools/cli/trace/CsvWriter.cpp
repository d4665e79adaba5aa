// Traces as CSV.
// SPDX-License-Identifier: Apache-2.0
#include "io/OutFile.h"
#include "trace/Columns.h"
#include "trace/Writers.h"
#include <cinttypes>

namespace gpuinstr::cli {

namespace {

void field(std::string &line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (char c : text) {
    line += c;
    if (c == '"')
      line += c;
  }
  line += '"';
}

class CsvWriter : public Timeline::Sink {
public:
  CsvWriter(const Timeline &timeline, OutFile &out) : All(timeline), Out(out) {
    for (const TraceColumn &column : traceColumns())
      Line += (Line.empty() ? "" : ",") + std::string(column.name);
    Out.write(Line + "\n");
  }
  void slice(const Slice &s) override {
    Line.clear();
    bool first = true;
    for (const TraceColumn &column : traceColumns()) {
      if (!first)
        Line += ',';
      first = false;
      char number[32];
      if (column.integer) {
        std::snprintf(number, sizeof number, "%" PRId64, column.integer(s, All));
        Line += number;
      } else if (column.real) {
        std::snprintf(number, sizeof number, "%.6g", column.real(s, All));
        Line += number;
      } else {
        field(Line, column.text(s, All));
      }
    }
    Line += '\n';
    Out.write(Line);
  }

private:
  const Timeline &All;
  OutFile &Out;
  std::string Line;
};

} // namespace

void writeTraceCsv(Timeline &timeline, const std::string &path) {
  OutFile out(path);
  CsvWriter writer(timeline, out);
  timeline.run(writer, "writing");
  out.commit();
}

} // namespace gpuinstr::cli
