// Reads the rows of a glossary file. glossary.h describes the format.
//
// Thread-safety: one thread per object.
#pragma once

#include <string>
#include <string_view>

#include "engine/text/terms/glossary.h"

namespace dragoman::engine {

struct GlossaryRow {
  size_t line = 0;  // the line on which the row begins, counted from 1
  std::string source;
  std::string target;
  std::string problem;  // not empty for an invalid row: what was found and what was expected
};

class GlossaryRows {
 public:
  // Borrows `bytes`, which need not be a valid file.
  GlossaryRows(std::string_view bytes, GlossaryFormat format);

  // Reads the next row that is not only white space. Returns false at the end. REQUIRES: the
  // previous row had no problem.
  bool Next(GlossaryRow& row);

 private:
  void ReadTsv(GlossaryRow& row);
  void ReadCsv(GlossaryRow& row);
  // Returns the rest of the current line and moves to the next line.
  std::string_view TakeLine();

  std::string_view rest_;
  GlossaryFormat format_;
  size_t line_ = 1;
};

}  // namespace dragoman::engine
