// The rows of a glossary file; the format is in glossary.h.
//
// Thread-safety: one thread per object.
#pragma once

#include <string>
#include <string_view>

#include "engine/text/terms/glossary.h"

namespace dragoman::engine {

struct GlossaryRow {
  size_t line = 0;  // where the row begins, from 1
  std::string source;
  std::string target;
  std::string problem;  // when not empty, the row is none: what was found and what was expected
};

class GlossaryRows {
 public:
  // Borrows `bytes`, which may be anything.
  GlossaryRows(std::string_view bytes, GlossaryFormat format);

  // The next row that is not white space alone; false at the end. After a problem: no more calls.
  bool Next(GlossaryRow& row);

 private:
  void ReadTsv(GlossaryRow& row);
  void ReadCsv(GlossaryRow& row);
  // Takes the bytes up to the end of the line, which it skips.
  std::string_view TakeLine();

  std::string_view rest_;
  GlossaryFormat format_;
  size_t line_ = 1;
};

}  // namespace dragoman::engine
