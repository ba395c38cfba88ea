// Reads the part of YAML that Marian writes: one mapping from keys to scalars or lists of scalars.
// Marian's model options, decoder configurations and vocabularies have this form.
//
// Thread-safety: ParseYaml is pure; a YamlFields belongs to one thread. A YamlMap owns its text.
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
// INVALID_ARGUMENT, which names `file`, the line and the fault, if the text is not YAML or repeats
// a key. Returns UNIMPLEMENTED if it uses other parts of YAML: nested mappings, block scalars,
// anchors, tags. Time and memory are linear in the size of `text`.
absl::StatusOr<YamlMap> ParseYaml(std::string_view text, std::string_view file);

// Reads the fields of a YamlMap by name. Borrows the map.
class YamlFields : public FieldReader {
 public:
  YamlFields(std::string_view file, const YamlMap& map) : FieldReader(file), map_(map) {}

  bool Has(std::string_view name) const { return map_.contains(name); }

  // If the field is absent, these functions return `absent`, or record an error if `absent` is
  // nullopt.
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
