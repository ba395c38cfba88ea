#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/tokenizer_json_parts.h"

namespace dragoman {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxSteps = 16;

class NormalizerReader {
 public:
  NormalizerReader(const TokenizerJsonFields& fields, PipelineSpec* spec)
      : fields_(fields), spec_(spec) {}

  absl::Status ReadStep(const Json& step, int depth) {
    constexpr std::string_view kField = "normalizer";
    const std::string type = TokenizerJsonFields::TypeOf(step);
    if (spec_->normalizer.size() >= kMaxSteps) {
      return fields_.Unsupported(kField, "longer", Concat("at most ", kMaxSteps, " steps"));
    }
    if (type == "Sequence" && depth < 4) {
      const Json* steps = TokenizerJsonFields::Find(step, "normalizers");
      if (steps == nullptr || !steps->is_array()) {
        return fields_.Invalid("normalizer.normalizers", "is no list", "normalizers");
      }
      for (const Json& one : *steps) {
        if (absl::Status status = ReadStep(one, depth + 1); !status.ok()) return status;
      }
      return absl::OkStatus();
    }
    NormalizerStep made;
    absl::Status status;
    if (type == "Precompiled") {
      const Json* charsmap = TokenizerJsonFields::Find(step, "precompiled_charsmap");
      made.kind = NormalizerStep::kCharsmap;
      if (charsmap == nullptr || !charsmap->is_string() ||
          !absl::Base64Unescape(charsmap->get_ref<const std::string&>(), &made.charsmap)) {
        return fields_.Invalid("normalizer.precompiled_charsmap", "is no base64",
                               "a charsmap in base64");
      }
    } else if (type == "Strip") {
      made.kind = NormalizerStep::kStrip;
      made.left = fields_.Flag(step, kField, "strip_left", true, &status);
      made.right = fields_.Flag(step, kField, "strip_right", true, &status);
    } else if (type == "Replace") {
      status = ReadReplace(step, &made);
    } else {
      status = fields_.Unsupported("normalizer.type", Concat("'", type.substr(0, 64), "'"),
                                   "Precompiled, Strip, Replace, Sequence of these");
    }
    if (status.ok()) spec_->normalizer.push_back(std::move(made));
    return status;
  }

 private:
  absl::Status ReadReplace(const Json& step, NormalizerStep* made) const {
    const Json* pattern = TokenizerJsonFields::Find(step, "pattern");
    const Json* content = TokenizerJsonFields::Find(step, "content");
    if (pattern == nullptr || content == nullptr || !content->is_string() ||
        content->get_ref<const std::string&>().size() > TokenizerJsonFields::kMaxPieceBytes) {
      return fields_.Invalid("normalizer", Concat("has ", DescribeJson(step)),
                             "'pattern' and 'content'");
    }
    made->content = content->get<std::string>();
    const Json* text = TokenizerJsonFields::Find(*pattern, "String");
    const Json* regex = TokenizerJsonFields::Find(*pattern, "Regex");
    if (regex != nullptr && *regex == " {2,}") {
      made->kind = NormalizerStep::kRuns;
      return absl::OkStatus();
    }
    if (text == nullptr || !text->is_string() || text->get_ref<const std::string&>().empty()) {
      return fields_.Unsupported("normalizer.pattern",
                                 DescribeJson(regex != nullptr ? *regex : *pattern),
                                 "a string, the regular expression \" {2,}\"");
    }
    made->kind = NormalizerStep::kReplace;
    made->pattern = text->get<std::string>();
    return absl::OkStatus();
  }

  const TokenizerJsonFields& fields_;
  PipelineSpec* const spec_;
};

}  // namespace

absl::Status ReadTokenizerJsonNormalizer(const nlohmann::json& root,
                                         const TokenizerJsonFields& fields, PipelineSpec* spec) {
  const Json* normalizer = TokenizerJsonFields::Find(root, "normalizer");
  if (normalizer == nullptr) return absl::OkStatus();
  return NormalizerReader(fields, spec).ReadStep(*normalizer, 0);
}

}  // namespace dragoman
