// Reads the parts `model` and `normalizer` of a tokenizer.json, and has helpers for its fields.
// Private to tokenizer_json*.cc. Errors are those of ParseTokenizerJson.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/json.h"
#include "engine/text/pipeline/pipeline_model.h"

namespace dragoman::engine {

class TokenizerJsonFields {
 public:
  using Json = nlohmann::json;
  static constexpr size_t kMaxPieceBytes = 1024;

  explicit TokenizerJsonFields(std::string_view file) : file_(file) {}

  std::string_view file() const { return file_; }

  absl::Status Invalid(std::string_view field, std::string_view found,
                       std::string_view expected) const {
    return InvalidField(file_, field, found, expected);
  }
  absl::Status Unsupported(std::string_view field, std::string_view found,
                           std::string_view supported) const {
    return UnsupportedField(file_, field, Concat("is ", found), supported);
  }
  absl::Status UnsupportedType(std::string_view object, std::string_view type,
                               std::string_view supported) const {
    return Unsupported(Concat(object, ".type"), Concat("'", type.substr(0, 64), "'"), supported);
  }
  // Returns nullptr if the field is absent or null.
  static const Json* Find(const Json& object, std::string_view name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(std::string(name));
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  static std::string TypeOf(const Json& object) {
    const Json* type = Find(object, "type");
    return type != nullptr && type->is_string() ? type->get<std::string>() : "";
  }
  // Returns the field, or `absent` if it is absent. If it is not a boolean, sets `status`.
  bool Flag(const Json& object, std::string_view where, std::string_view name, bool absent,
            absl::Status* status) const {
    const Json* value = Find(object, name);
    if (value == nullptr) return absent;
    if (value->is_boolean()) return value->get<bool>();
    if (status->ok()) {
      *status = Invalid(Concat(where, ".", name), Concat("is ", DescribeJson(*value)), "a boolean");
    }
    return absent;
  }

  absl::Status CheckPiece(std::string_view field, const Json& piece) const {
    if (!piece.is_string() || piece.get_ref<const std::string&>().empty() ||
        piece.get_ref<const std::string&>().size() > kMaxPieceBytes) {
      return Invalid(field, Concat("has the piece ", DescribeJson(piece)),
                     Concat("a string of 1 to ", kMaxPieceBytes, " bytes"));
    }
    return absl::OkStatus();
  }

 private:
  const std::string_view file_;
};

using PieceIds = std::unordered_map<std::string, int32_t>;

// Reads the part `model`: its kind, pieces and merges. Sets `ids` to the ids by piece.
absl::Status ReadTokenizerJsonModel(const nlohmann::json& root, const TokenizerJsonFields& fields,
                                    PipelineSpec* spec, PieceIds* ids);

absl::Status ReadTokenizerJsonNormalizer(const nlohmann::json& root,
                                         const TokenizerJsonFields& fields, PipelineSpec* spec);

}  // namespace dragoman::engine
