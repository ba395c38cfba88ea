// Reader of the YAML that Marian writes: one mapping of keys to scalars and to lists of scalars. The
// options of a model, the configuration of a decoder and a vocabulary are such mappings.
//
// Pure functions; thread-safe. A YamlMap owns its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/field_reader.h"

namespace dragoman::engine {

struct YamlValue {
  bool is_list = false;
  std::string text;                // a scalar's text, without its quotes
  std::vector<std::string> items;  // a list's items
  int line = 0;                    // the line of its key
};

using YamlMap = std::map<std::string, YamlValue, std::less<>>;

// Keys begin their line; a list is in brackets on one line, or has each item on a line after "- ";
// scalars are plain, or quoted with the escapes of YAML 1.2. INVALID_ARGUMENT names `file`, the
// line and what is wrong, for text that is not YAML and for a key that is there twice; UNIMPLEMENTED
// for the rest of the language: nested mappings, block scalars, anchors, tags. Time and memory are
// linear in the size of `text`.
absl::StatusOr<YamlMap> ParseYaml(std::string_view text, std::string_view file);

// Reads fields by their names. Borrows the map, which outlives it.
class YamlFields : public FieldReader {
 public:
  YamlFields(std::string_view file, const YamlMap& map) : FieldReader(file), map_(map) {}

  bool Has(std::string_view name) const { return map_.contains(name); }

  // These return `absent` for a field that is absent.
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
