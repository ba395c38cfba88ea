// Comma-separated (RFC 4180) and tab-separated values.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/spliced_document.h"

namespace dragoman::engine {
namespace {

using std::string_view;

class Table final : public SplicedDocument {
 public:
  // `separator` is '\t', or 0 to take the one that the first row has.
  Table(std::string content, char separator)
      : SplicedDocument(std::move(content)), separator_(separator), is_tsv_(separator == '\t') {}

  absl::Status Read(const DocumentOptions& options) {
    if (absl::Status utf8 = CheckUtf8(bytes()); !utf8.ok()) return utf8;
    const string_view all = bytes();
    size_t at = ByteOrderMarkSize(all);
    if (separator_ == 0) separator_ = SeparatorOf(all.substr(at, all.find('\n', at) - at));
    std::vector<size_t> wanted;
    for (bool is_first = true; at < all.size(); is_first = false) {
      std::vector<string_view> cells;
      if (absl::Status row = ReadRow(&at, &cells); !row.ok()) return row;
      bool is_header = false;
      if (is_first && !options.fields.empty()) {
        absl::Status found = FindColumns(cells, options.fields, &wanted, &is_header);
        if (!found.ok()) return found;
      }
      if (is_header) continue;
      for (size_t i = 0; i < cells.size(); ++i) {
        if (!wanted.empty() && std::ranges::find(wanted, i) == wanted.end()) continue;
        std::string text = Decode(cells[i]);
        if (StripWhiteSpace(text).empty()) continue;
        absl::Status added = Add(TextRange::Of(cells[i], all), {std::move(text)}, options);
        if (!added.ok()) return added;
      }
    }
    return absl::OkStatus();
  }

 private:
  static char SeparatorOf(string_view row) {
    char best = ',';
    for (const char c : {';', '\t'}) {
      if (std::ranges::count(row, c) > std::ranges::count(row, best)) best = c;
    }
    return best;
  }

  // Reads a row with its line end.
  absl::Status ReadRow(size_t* at, std::vector<string_view>* cells) const {
    const string_view all = bytes();
    const char ends[] = {separator_, '\r', '\n', '\0'};
    while (true) {
      const size_t begin = *at;
      if (!is_tsv_ && begin < all.size() && all[begin] == '"') {
        size_t end = begin + 1;
        while (true) {
          end = all.find('"', end);
          if (end == string_view::npos) {
            return absl::InvalidArgumentError(
                Concat(LineOf(all, static_cast<int64_t>(begin)),
                       ": a cell begins with '\"'; expected '\"' at its end"));
          }
          if (!all.substr(end + 1).starts_with('"')) break;
          end += 2;
        }
        *at = end + 1;
      }
      *at = std::min(all.find_first_of(ends, *at, 3), all.size());
      cells->push_back(all.substr(begin, *at - begin));
      if (*at == all.size()) return absl::OkStatus();
      if (all[*at] == separator_) {
        ++*at;
        continue;
      }
      *at += all.substr(*at).starts_with("\r\n") ? 2 : 1;
      return absl::OkStatus();
    }
  }

  // Numbers name columns. If all fields are names, the first row must have them, and is not
  // translated.
  absl::Status FindColumns(const std::vector<string_view>& cells,
                           const std::vector<std::string>& fields, std::vector<size_t>* wanted,
                           bool* is_header) const {
    for (const std::string& field : fields) {
      size_t number = 0;
      if (absl::SimpleAtoi(field, &number) && number > 0) {
        wanted->push_back(number - 1);
        continue;
      }
      *is_header = true;
      std::vector<std::string> names;
      for (const string_view cell : cells) names.push_back(Decode(cell));
      const auto found = std::ranges::find(names, field);
      if (found == names.end()) {
        return absl::InvalidArgumentError(
            Concat("no column \"", field, "\"; the first row has ", absl::StrJoin(names, ", ")));
      }
      wanted->push_back(static_cast<size_t>(found - names.begin()));
    }
    return absl::OkStatus();
  }

  bool IsQuoted(string_view cell) const {
    return !is_tsv_ && cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"');
  }

  std::string Decode(string_view cell) const {
    if (!IsQuoted(cell)) return std::string(cell);
    return absl::StrReplaceAll(std::string(cell.substr(1, cell.size() - 2)), {{"\"\"", "\""}});
  }

  std::string Encode(size_t text, string_view translation) const override {
    if (is_tsv_)
      return absl::StrReplaceAll(std::string(translation), {{"\t", " "}, {"\n", " "}, {"\r", " "}});
    const char special[] = {separator_, '"', '\r', '\n', '\0'};
    if (!IsQuoted(range(text).In(bytes())) &&
        translation.find_first_of(special, 0, 4) == string_view::npos) {
      return std::string(translation);
    }
    return Concat("\"", absl::StrReplaceAll(std::string(translation), {{"\"", "\"\""}}), "\"");
  }

  char separator_;
  const bool is_tsv_;
};

ReadDocument Read(std::string bytes, char separator, const DocumentOptions& options) {
  auto document = std::make_unique<Table>(std::move(bytes), separator);
  if (absl::Status read = document->Read(options); !read.ok()) return read;
  return document;
}

}  // namespace

ReadDocument ReadCsv(std::string bytes, const DocumentOptions& options) {
  return Read(std::move(bytes), 0, options);
}

ReadDocument ReadTsv(std::string bytes, const DocumentOptions& options) {
  return Read(std::move(bytes), '\t', options);
}

}  // namespace dragoman::engine
