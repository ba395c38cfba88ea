// Reads the YAML that Marian writes: one mapping of keys to scalars and lists of scalars. Options
// of a model, configurations of a decoder and vocabularies have this form.
//
// Thread-safety: pure functions. A YamlMap owns its text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/field_reader.h"

namespace dragoman::engine {

struct YamlValue {
  bool is_list = false;
  std::string text;                // a scalar's text, without quotes
  std::vector<std::string> items;  // a list's items
  int line = 0;                    // the line of its key
};

using YamlMap = std::map<std::string, YamlValue, std::less<>>;

// Parses one mapping. Keys begin their line. A list is in brackets on one line, or has each item on
// a line after "- ". Scalars are plain, or quoted with the escapes of YAML 1.2. Returns
// INVALID_ARGUMENT naming `file`, the line and the fault for text that is not YAML or a repeated
// key, and UNIMPLEMENTED for the rest of the language: nested mappings, block scalars, anchors,
// tags. Time and memory are linear in the size of `text`.
absl::StatusOr<YamlMap> ParseYaml(std::string_view text, std::string_view file);

// Reads fields by name. Borrows the map.
class YamlFields : public FieldReader {
 public:
  YamlFields(std::string_view file, const YamlMap& map) : FieldReader(file), map_(map) {}

  bool Has(std::string_view name) const { return map_.contains(name); }

  // Return `absent` if the field is absent.
  std::string String(std::string_view name, std::string_view absent);
  bool Flag(std::string_view name, bool absent);  // true or false
  int64_t Whole(std::string_view name, std::optional<int64_t> absent, int64_t min, int64_t max);
  double Number(std::string_view name, double absent);  // finite
  std::vector<std::string> List(std::string_view name);

 private:
  const YamlValue* Find(std::string_view name) const;
  std::string Found(std::string_view name) const override;

  const YamlMap& map_;
};

}  // namespace dragoman::engine
