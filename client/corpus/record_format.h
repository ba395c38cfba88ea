// Finds the texts of a record and writes their translations into it. A record is a line of text, of
// tab-separated fields, or of JSON. Every byte that is not a text's stays as it is.
//
// Thread-safe after construction.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/commands/translate_run.h"

namespace dragoman::client {

// A value that the output has for each text.
enum class Column { kTranslation, kScore, kDetected, kFinishReason, kWarnings, kError };

// The values of one text, in the order of RecordOptions::columns.
struct ColumnValue {
  std::string text;
  // Whether JSON has the value as it is, a number, instead of as a string. An empty one is null.
  bool is_literal = false;
};

struct RecordOptions {
  enum class Format { kText, kTsv, kJsonl };
  Format format = Format::kText;
  // kTsv: numbers of the fields, from 1. kJsonl: paths such as "text" or "messages[*].content",
  // whose names may have "\." for a dot. kText has no fields.
  std::vector<std::string> fields;
  // The fields of the given translations, one for each of `fields`; empty unless pairs are scored.
  std::vector<std::string> targets;
  // Whether the translation replaces its source. Otherwise a field is added at the end of the
  // record (kTsv), or a member after the source's (kJsonl). kText always replaces.
  bool replace = false;
  std::vector<Column> columns = {Column::kTranslation};
  // kJsonl: the name of an added member is that of the source's, with this and, except for the
  // translation, the column's name at the end: "text_translation", "text_translation_score".
  std::string suffix = "_translation";
};

// Returns the column's name, such as "finish_reason".
std::string_view ColumnName(Column column);

class RecordFormat {
 public:
  // A place of the record, and what is written there.
  struct Edit {
    // The bytes that are replaced.
    size_t begin = 0;
    size_t end = 0;
    // The texts whose values are written here.
    size_t first_text = 0;
    size_t texts = 1;
    // kJsonl: the name of the source's member. Whether a JSON array is written, one element for
    // each text.
    std::string name;
    bool is_array = false;
    // Whether the translation is written over the bytes; otherwise as an added value.
    bool replaces = false;
  };
  struct Parsed {
    std::vector<TextItem> texts;
    std::vector<Edit> edits;  // in the order of the record
  };

  // Returns INVALID_ARGUMENT if fields or columns do not fit the format.
  static absl::StatusOr<std::unique_ptr<RecordFormat>> Create(const RecordOptions& options);
  virtual ~RecordFormat() = default;

  // `record` has no line feed at its end. Returns INVALID_ARGUMENT if the record is malformed or
  // lacks a field, or a field is not a string.
  virtual absl::StatusOr<Parsed> Parse(std::string_view record) const = 0;

  // Returns the record with values[i] written for texts[i]. Line feeds in values become spaces, unless
  // the format is kJsonl, and so do tabs where they would part fields.
  virtual std::string Rewrite(std::string_view record, const Parsed& parsed,
                              const std::vector<std::vector<ColumnValue>>& values) const = 0;

  // Returns what stands for a record that Parse has refused: with empty values where the format
  // allows it, else the record itself.
  virtual std::string RewriteMalformed(std::string_view record) const = 0;
};

}  // namespace dragoman::client
