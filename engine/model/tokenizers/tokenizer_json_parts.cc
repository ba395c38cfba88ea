#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/model_tokens.h"
#include "engine/model/tokenizers/tokenizer_json_parts.h"

namespace dragoman::engine {
namespace {

using Json = nlohmann::json;

class ModelReader : private TokenizerJsonFields {
 public:
  ModelReader(const TokenizerJsonFields& fields, PipelineSpec* spec, PieceIds* ids)
      : TokenizerJsonFields(fields), spec_(spec), ids_(ids) {}

  absl::Status Read(const Json* model) {
    if (model == nullptr || !model->is_object()) {
      return Invalid("model", "is missing", "a Unigram or a BPE model");
    }
    // Files from 2020 do not state the model's type, so it is inferred from the fields.
    std::string type = TypeOf(*model);
    if (type.empty() && Find(*model, "merges") != nullptr) type = "BPE";
    if (type.empty() && Find(*model, "unk_id") != nullptr) type = "Unigram";
    if (type != "Unigram" && type != "BPE") {
      return UnsupportedType("model", type, "Unigram, BPE");
    }
    spec_->model = type == "BPE" ? PipelineSpec::kBpe : PipelineSpec::kUnigram;
    absl::Status status;
    spec_->byte_fallback = Flag(*model, "model", "byte_fallback", false, &status);
    if (!status.ok()) return status;
    return type == "BPE" ? ReadBpe(*model) : ReadUnigram(*model);
  }

 private:
  // Fills ids_ with the ids by piece, because other fields refer to pieces.
  absl::Status Index() {
    for (size_t id = 0; id < spec_->pieces.size(); ++id) {
      const std::string& piece = spec_->pieces[id].text;
      if (!ids_->emplace(piece, static_cast<int32_t>(id)).second) {
        return Invalid("model.vocab", Concat("has '", piece.substr(0, 64), "' twice"),
                       "every piece once");
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadUnigram(const Json& model) {
    const Json* vocab = Find(model, "vocab");
    if (vocab == nullptr || !vocab->is_array() || vocab->empty() ||
        vocab->size() > static_cast<size_t>(kMaxVocabulary)) {
      return Invalid("model.vocab", "is no list of pieces",
                     Concat("a list of 1 to ", kMaxVocabulary, " pairs of piece and score"));
    }
    for (const Json& pair : *vocab) {
      if (!pair.is_array() || pair.size() != 2 || !pair[1].is_number() ||
          !std::isfinite(pair[1].get<double>())) {
        return Invalid("model.vocab", Concat("has ", DescribeJson(pair)), "[piece, score]");
      }
      if (absl::Status status = CheckPiece("model.vocab", pair[0]); !status.ok()) return status;
      spec_->pieces.push_back({pair[0].get<std::string>(), pair[1].get<double>(), false});
    }
    const Json* unknown = Find(model, "unk_id");
    if (unknown == nullptr || !unknown->is_number_unsigned() ||
        unknown->get<uint64_t>() >= spec_->pieces.size()) {
      return Invalid("model.unk_id",
                     unknown == nullptr ? "is missing" : Concat("is ", DescribeJson(*unknown)),
                     Concat("an id from 0 to ", spec_->pieces.size() - 1));
    }
    spec_->unknown = unknown->get<int32_t>();
    if (absl::Status status = Index(); !status.ok()) return status;
    // If a piece "<unk>" exists, uses its id and not the stored one. transformers 5 always stores
    // 2, the id of <unk> in T5, but in MADLAD-400 id 2 is </s>.
    if (const auto named = ids_->find("<unk>"); named != ids_->end()) {
      spec_->unknown = named->second;
    }
    return absl::OkStatus();
  }

  absl::Status ReadBpe(const Json& model) {
    for (const std::string_view name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      const Json* value = Find(model, name);
      if (value != nullptr && *value != "") {
        return Unsupported(Concat("model.", name), DescribeJson(*value), "null, \"\"");
      }
    }
    const Json* dropout = Find(model, "dropout");
    if (dropout != nullptr && *dropout != 0.0) {
      return Unsupported("model.dropout", DescribeJson(*dropout), "null");
    }
    absl::Status status;
    if (Flag(model, "model", "ignore_merges", false, &status)) {
      return Unsupported("model.ignore_merges", "true", "false");
    }
    spec_->fuse_unknown = Flag(model, "model", "fuse_unk", false, &status);
    if (!status.ok()) return status;
    const Json* vocab = Find(model, "vocab");
    if (vocab == nullptr || !vocab->is_object() || vocab->empty() ||
        vocab->size() > static_cast<size_t>(kMaxVocabulary)) {
      return Invalid("model.vocab", "is no object",
                     Concat("1 to ", kMaxVocabulary, " pieces with their ids"));
    }
    spec_->pieces.resize(vocab->size());
    for (const auto& [piece, id] : vocab->items()) {
      status = CheckPiece("model.vocab", Json(piece));
      if (!status.ok()) return status;
      const bool fits = id.is_number_unsigned() && id.get<uint64_t>() < vocab->size();
      if (!fits || !spec_->pieces[id.get<size_t>()].text.empty()) {
        return Invalid("model.vocab",
                       Concat("gives '", piece.substr(0, 64), "' the id ", DescribeJson(id)),
                       Concat("each from 0 to ", vocab->size() - 1, " once"));
      }
      spec_->pieces[id.get<size_t>()].text = piece;
    }
    status = Index();
    if (!status.ok()) return status;
    if (const Json* unknown = Find(model, "unk_token")) {
      const auto found =
          unknown->is_string() ? ids_->find(unknown->get<std::string>()) : ids_->end();
      if (found == ids_->end()) {
        return Invalid("model.unk_token", Concat("is ", DescribeJson(*unknown)),
                       "one of its pieces");
      }
      spec_->unknown = found->second;
    }
    return ReadMerges(model);
  }

  absl::Status ReadMerges(const Json& model) {
    constexpr std::string_view kField = "model.merges";
    const Json* merges = Find(model, "merges");
    if (merges == nullptr || !merges->is_array()) {
      return Invalid(kField, "is no list", "pairs of pieces");
    }
    for (const Json& merge : *merges) {
      std::string left;
      std::string right;
      if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        left = merge[0].get<std::string>();
        right = merge[1].get<std::string>();
      } else if (merge.is_string()) {
        const auto& both = merge.get_ref<const std::string&>();
        const size_t space = both.find(' ');
        if (space != std::string::npos && both.find(' ', space + 1) == std::string::npos) {
          left = both.substr(0, space);
          right = both.substr(space + 1);
        }
      }
      const auto l = ids_->find(left);
      const auto r = ids_->find(right);
      const auto both = ids_->find(left + right);
      if (l == ids_->end() || r == ids_->end() || both == ids_->end()) {
        return Invalid(kField, Concat("has ", DescribeJson(merge)),
                       "two pieces of the vocabulary that make a third");
      }
      spec_->merges.push_back({l->second, r->second, both->second});
    }
    return absl::OkStatus();
  }

  PipelineSpec* const spec_;
  PieceIds* const ids_;
};

constexpr size_t kMaxSteps = 16;

class NormalizerReader : private TokenizerJsonFields {
 public:
  NormalizerReader(const TokenizerJsonFields& fields, PipelineSpec* spec)
      : TokenizerJsonFields(fields), spec_(spec) {}

  absl::Status ReadStep(const Json& step, int depth) {
    constexpr std::string_view kField = "normalizer";
    const std::string type = TypeOf(step);
    if (spec_->normalizer.size() >= kMaxSteps) {
      return Unsupported(kField, "longer", Concat("at most ", kMaxSteps, " steps"));
    }
    if (type == "Sequence" && depth < 4) {
      const Json* steps = Find(step, "normalizers");
      if (steps == nullptr || !steps->is_array()) {
        return Invalid("normalizer.normalizers", "is no list", "normalizers");
      }
      for (const Json& one : *steps) {
        if (absl::Status status = ReadStep(one, depth + 1); !status.ok()) return status;
      }
      return absl::OkStatus();
    }
    NormalizerStep made;
    absl::Status status;
    if (type == "Precompiled") {
      const Json* charsmap = Find(step, "precompiled_charsmap");
      made.kind = NormalizerStep::kCharsmap;
      if (charsmap == nullptr || !charsmap->is_string() ||
          !absl::Base64Unescape(charsmap->get_ref<const std::string&>(), &made.charsmap)) {
        return Invalid("normalizer.precompiled_charsmap", "is no base64", "a charsmap in base64");
      }
    } else if (type == "Strip") {
      made.kind = NormalizerStep::kStrip;
      made.left = Flag(step, kField, "strip_left", true, &status);
      made.right = Flag(step, kField, "strip_right", true, &status);
    } else if (type == "NFKC") {
      made.kind = NormalizerStep::kNfkc;
    } else if (type == "Replace") {
      return ReadReplace(step);
    } else {
      status =
          UnsupportedType(kField, type, "Precompiled, NFKC, Strip, Replace, Sequence of these");
    }
    if (status.ok()) spec_->normalizer.push_back(std::move(made));
    return status;
  }

 private:
  absl::Status ReadReplace(const Json& step) {
    NormalizerStep made;
    const Json* pattern = Find(step, "pattern");
    const Json* content = Find(step, "content");
    if (pattern == nullptr || content == nullptr || !content->is_string() ||
        content->get_ref<const std::string&>().size() > kMaxPieceBytes) {
      return Invalid("normalizer", Concat("has ", DescribeJson(step)), "'pattern' and 'content'");
    }
    made.content = content->get<std::string>();
    const Json* text = Find(*pattern, "String");
    const Json* regex = Find(*pattern, "Regex");
    if (regex != nullptr && *regex == " {2,}") {
      made.kind = NormalizerStep::kRuns;
      spec_->normalizer.push_back(std::move(made));
      return absl::OkStatus();
    }
    made.kind = NormalizerStep::kReplace;
    // transformers 5.0 writes a pattern that replaces each of these characters by a space.
    std::string_view spaces;
    if (regex != nullptr && *regex == R"([\n\r\t])") spaces = "\n\r\t";
    if (regex != nullptr && *regex == R"(\n)") spaces = "\n";
    if (!spaces.empty() && made.content == " ") {
      for (const char space : spaces) {
        made.pattern = space;
        spec_->normalizer.push_back(made);
      }
      return absl::OkStatus();
    }
    if (text == nullptr || !text->is_string() || text->get_ref<const std::string&>().empty()) {
      return Unsupported("normalizer.pattern", DescribeJson(regex != nullptr ? *regex : *pattern),
                         R"(a string, the regular expressions " {2,}", "[\n\r\t]" and "\n")");
    }
    made.pattern = text->get<std::string>();
    spec_->normalizer.push_back(std::move(made));
    return absl::OkStatus();
  }

  PipelineSpec* const spec_;
};

}  // namespace

absl::Status ReadTokenizerJsonModel(const nlohmann::json& root, const TokenizerJsonFields& fields,
                                    PipelineSpec* spec, PieceIds* ids) {
  return ModelReader(fields, spec, ids).Read(TokenizerJsonFields::Find(root, "model"));
}

absl::Status ReadTokenizerJsonNormalizer(const nlohmann::json& root,
                                         const TokenizerJsonFields& fields, PipelineSpec* spec) {
  const Json* normalizer = TokenizerJsonFields::Find(root, "normalizer");
  if (normalizer == nullptr) return absl::OkStatus();
  return NormalizerReader(fields, spec).ReadStep(*normalizer, 0);
}

}  // namespace dragoman::engine
