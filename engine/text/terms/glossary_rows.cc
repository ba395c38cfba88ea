#include "engine/text/terms/glossary_rows.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

GlossaryRows::GlossaryRows(std::string_view bytes, GlossaryFormat format)
    : rest_(bytes), format_(format) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

bool GlossaryRows::Next(GlossaryRow& row) {
  while (!rest_.empty()) {
    row = {};
    row.line = line_;
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    if (FirstInvalidUtf8(line)) {
      row.problem = "bytes that are not UTF-8, expected UTF-8";
      return true;
    }
    if (StripWhiteSpace(line).empty()) {
      TakeLine();
      continue;
    }
    format_ == GlossaryFormat::kTsv ? ReadTsv(row) : ReadCsv(row);
    return true;
  }
  return false;
}

std::string_view GlossaryRows::TakeLine() {
  const size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void GlossaryRows::ReadTsv(GlossaryRow& row) {
  const std::string_view line = TakeLine();
  const auto tabs = std::count(line.begin(), line.end(), '\t');
  if (tabs != 1) {
    row.problem = absl::StrCat(tabs + 1, tabs == 0 ? " cell" : " cells",
                               ", expected two with a tab between them");
    return;
  }
  const size_t tab = line.find('\t');
  row.source = line.substr(0, tab);
  row.target = line.substr(tab + 1);
}

void GlossaryRows::ReadCsv(GlossaryRow& row) {
  std::vector<std::string> cells;
  size_t at = 0;
  for (bool more = true; more;) {
    std::string& cell = cells.emplace_back();
    if (at < rest_.size() && rest_[at] == '"') {
      bool closed = false;
      for (++at; at < rest_.size() && !closed;) {
        const size_t quote = std::min(rest_.find('"', at), rest_.size());
        cell += rest_.substr(at, quote - at);
        at = std::min(quote + 1, rest_.size());
        if (quote == rest_.size()) break;
        closed = at == rest_.size() || rest_[at] != '"';
        if (!closed) cell += rest_[at++];
      }
      if (!closed) {
        row.problem = "a quote that is not closed, expected one more '\"'";
        return;
      }
    } else {
      const size_t end = std::min(rest_.find_first_of(",\n", at), rest_.size());
      cell = rest_.substr(at, end - at);
      at = end;
      if (at == rest_.size() || rest_[at] == '\n') {
        if (cell.ends_with('\r')) cell.pop_back();
      }
      if (cell.find('"') != std::string::npos) {
        row.problem =
            "a quote inside a cell that does not begin with one, expected the cell in quotes and "
            "quotes in it doubled";
        return;
      }
    }
    if (rest_.substr(at).starts_with("\r\n")) ++at;
    more = at < rest_.size() && rest_[at] == ',';
    if (!more && at < rest_.size() && rest_[at] != '\n') {
      row.problem =
          "text after the closing quote of a cell, expected a comma or the end of the row";
      return;
    }
    if (more) ++at;
  }
  if (cells.size() != 2) {
    row.problem = absl::StrCat(cells.size(), cells.size() == 1 ? " cell" : " cells",
                               ", expected two with a comma between them");
    return;
  }
  row.source = std::move(cells[0]);
  row.target = std::move(cells[1]);
  const size_t end = std::min(at + 1, rest_.size());
  line_ += static_cast<size_t>(
      std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  rest_.remove_prefix(end);
}

}  // namespace dragoman::engine
