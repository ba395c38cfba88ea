#include "engine/model/tokenizers/tokenizer_json.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/tokenizer_json_parts.h"
#include "engine/model/tokenizers/vocabulary.h"
#include "engine/text/pipeline/pipeline_model.h"

namespace dragoman::engine {
namespace {

using Json = nlohmann::json;

constexpr JsonLimits kLimits = {
    .max_bytes = kMaxVocabularyBytes, .max_depth = 16, .max_values = size_t{8} << 20};
constexpr size_t kMaxLayout = 16;
constexpr size_t kMaxAddedTokens = 1 << 16;

class Reader : private TokenizerJsonFields {
 public:
  Reader(std::string_view file, const Json& root) : TokenizerJsonFields(file), root_(root) {}

  absl::StatusOr<TokenizerJson> Read() {
    absl::Status status = ReadTokenizerJsonModel(root_, *this, &spec_, &ids_);
    if (status.ok()) status = ReadAdded();
    if (status.ok()) status = ReadTokenizerJsonNormalizer(root_, *this, &spec_);
    if (status.ok()) status = ReadPreTokenizer();
    if (status.ok()) status = CheckDecoder();
    if (status.ok()) status = ReadTemplate();
    if (!status.ok()) return status;
    for (const PipelineSpec::Piece& piece : spec_.pieces) result_.pieces.push_back(piece.text);
    if (is_byte_level_) {
      result_.byte_merges = std::move(spec_.merges);
      return std::move(result_);
    }
    absl::StatusOr<std::unique_ptr<PipelineModel>> model =
        PipelineModel::Create(std::move(spec_), file());
    if (!model.ok()) return model.status();
    result_.model = *std::move(model);
    return std::move(result_);
  }

 private:
  absl::Status ReadAdded() {
    constexpr std::string_view kField = "added_tokens";
    const Json* list = Find(root_, kField);
    if (list == nullptr) return absl::OkStatus();
    if (!list->is_array() || list->size() > kMaxAddedTokens) {
      return Invalid(kField, Concat("is ", DescribeJson(*list)),
                     Concat("a list of at most ", kMaxAddedTokens, " tokens"));
    }
    // Ids are below this limit, because ids have no gaps and at most all added tokens are new.
    const size_t limit = spec_.pieces.size() + list->size();
    for (const Json& token : *list) {
      const Json* content = Find(token, "content");
      const Json* id = Find(token, "id");
      if (content == nullptr || id == nullptr || !id->is_number_unsigned() ||
          id->get<uint64_t>() >= limit) {
        return Invalid(kField, Concat("has ", DescribeJson(token)),
                       Concat("'content', and 'id' below ", limit));
      }
      absl::Status status = CheckPiece(kField, *content);
      if (!status.ok()) return status;
      TokenizerJson::Added added{id->get<int>(), {.text = content->get<std::string>()}};
      added.token.special = Flag(token, kField, "special", false, &status);
      added.token.single_word = Flag(token, kField, "single_word", false, &status);
      added.token.lstrip = Flag(token, kField, "lstrip", false, &status);
      added.token.rstrip = Flag(token, kField, "rstrip", false, &status);
      added.token.normalized = Flag(token, kField, "normalized", !added.token.special, &status);
      if (!status.ok()) return status;
      const auto known = ids_.find(added.token.text);
      const auto at = static_cast<size_t>(added.id);
      const bool is_new = known == ids_.end();
      const bool taken = at < spec_.pieces.size() && !spec_.pieces[at].text.empty();
      if (is_new ? taken : known->second != added.id) {
        return Invalid(
            kField, Concat("gives '", added.token.text.substr(0, 64), "' the id ", added.id),
            is_new ? "one that no piece has" : "that of the same piece of the vocabulary");
      }
      if (is_new) {
        if (at >= spec_.pieces.size()) spec_.pieces.resize(at + 1);
        spec_.pieces[at].text = added.token.text;
        spec_.pieces[at].hidden = true;  // the model never cuts a text into this piece
        ids_.emplace(added.token.text, added.id);
      }
      if (added.token.special) spec_.pieces[at].hidden = true;
      added.is_new = is_new;
      result_.added.push_back(std::move(added));
    }
    return absl::OkStatus();
  }

  absl::Status ReadPreTokenizer() {
    constexpr std::string_view kField = "pre_tokenizer";
    constexpr std::string_view kSupported =
        "Metaspace, WhitespaceSplit followed by Metaspace, ByteLevel";
    const Json* found = Find(root_, kField);
    if (found == nullptr) return Unsupported(kField, "null", kSupported);
    if (TypeOf(*found) == "ByteLevel") return ReadByteLevel(*found);
    const Json* metaspace = found;
    if (TypeOf(*found) == "Sequence") {
      const Json* list = Find(*found, "pretokenizers");
      std::string types;
      for (const Json& one : list == nullptr ? Json::array() : *list) {
        types += Concat(types.empty() ? "" : ", ", TypeOf(one).substr(0, 32));
        if (types.size() > 128) break;
      }
      const bool splits = types == "WhitespaceSplit, Metaspace";
      if (!splits && types != "Metaspace") {
        return Unsupported(kField, Concat("a Sequence of '", types, "'"), kSupported);
      }
      spec_.split_white_space = splits;
      metaspace = &list->back();
    }
    if (TypeOf(*metaspace) != "Metaspace") {
      return UnsupportedType(kField, TypeOf(*metaspace), kSupported);
    }
    return ReadMetaspace(*metaspace);
  }

  // Reads the pre-tokenizer ByteLevel, which BART has: the model's pieces consist of bytes.
  absl::Status ReadByteLevel(const Json& level) {
    is_byte_level_ = true;
    absl::Status status;
    result_.adds_prefix_space = Flag(level, "pre_tokenizer", "add_prefix_space", true, &status);
    if (!Flag(level, "pre_tokenizer", "use_regex", true, &status) && status.ok()) {
      return Unsupported("pre_tokenizer.use_regex", "false", "true");
    }
    if (!status.ok()) return status;
    if (!spec_.normalizer.empty()) {
      return Unsupported("normalizer", "not null", "null with the pre_tokenizer ByteLevel");
    }
    if (spec_.model != PipelineSpec::kBpe || spec_.byte_fallback) {
      return Unsupported("model", spec_.byte_fallback ? "one with byte_fallback" : "a Unigram",
                         "a BPE without byte_fallback with the pre_tokenizer ByteLevel");
    }
    return absl::OkStatus();
  }

  absl::Status ReadMetaspace(const Json& metaspace) {
    constexpr std::string_view kField = "pre_tokenizer";
    const Json* mark = Find(metaspace, "replacement");
    if (mark == nullptr || *mark != std::string(kSpaceMark)) {
      return Unsupported("pre_tokenizer.replacement",
                         mark == nullptr ? "missing" : DescribeJson(*mark), "U+2581");
    }
    absl::Status status;
    spec_.split_words = Flag(metaspace, kField, "split", true, &status);
    const bool adds = Flag(metaspace, kField, "add_prefix_space", true, &status);
    if (!status.ok()) return status;
    const Json* scheme = Find(metaspace, "prepend_scheme");
    spec_.prepend = adds ? PipelineSpec::kAlways : PipelineSpec::kNever;
    if (scheme == nullptr) return absl::OkStatus();
    if (*scheme == "always") {
      spec_.prepend = PipelineSpec::kAlways;
    } else if (*scheme == "first") {
      spec_.prepend = PipelineSpec::kFirst;
    } else if (*scheme == "never") {
      spec_.prepend = PipelineSpec::kNever;
    } else {
      return Unsupported("pre_tokenizer.prepend_scheme", DescribeJson(*scheme),
                         "always, first, never");
    }
    if (!adds && spec_.prepend != PipelineSpec::kNever) {
      return Invalid("pre_tokenizer.prepend_scheme", Concat("is ", DescribeJson(*scheme)),
                     "never, as add_prefix_space is false");
    }
    return absl::OkStatus();
  }

  absl::Status CheckDecoder() const {
    const Json* decoder = Find(root_, "decoder");
    const std::string type = decoder == nullptr ? "null" : TypeOf(*decoder);
    const std::string_view expected = is_byte_level_ ? "ByteLevel" : "Metaspace";
    if (type == expected) return absl::OkStatus();
    return UnsupportedType("decoder", type, expected);
  }

  absl::Status ReadTemplate() {
    constexpr std::string_view kField = "post_processor";
    const Json* found = Find(root_, kField);
    if (found == nullptr) return absl::OkStatus();
    if (TypeOf(*found) == "RobertaProcessing") return ReadRoberta(*found);
    if (TypeOf(*found) != "TemplateProcessing") {
      return UnsupportedType(kField, TypeOf(*found), "TemplateProcessing, RobertaProcessing, null");
    }
    const Json* single = Find(*found, "single");
    for (const Json& part : single == nullptr ? Json::array() : *single) {
      const Json* special = Find(part, "SpecialToken");
      const Json* sequence = Find(part, "Sequence");
      const Json* id = Find(special != nullptr    ? *special
                            : sequence != nullptr ? *sequence
                                                  : part,
                            "id");
      if (id == nullptr || !id->is_string() || (special == nullptr && *id != "A") ||
          result_.layout.size() >= kMaxLayout) {
        return Invalid("post_processor.single", Concat("has ", DescribeJson(part)),
                       "special tokens around the sequence A");
      }
      result_.layout.push_back(special != nullptr ? id->get<std::string>() : "$A");
    }
    return absl::OkStatus();
  }

  absl::Status ReadRoberta(const Json& processor) {
    for (const std::string_view name : {"cls", "sep"}) {
      const Json* pair = Find(processor, name);
      if (pair == nullptr || !pair->is_array() || pair->size() != 2 || !(*pair)[0].is_string()) {
        return Invalid(Concat("post_processor.", name),
                       pair == nullptr ? "is missing" : Concat("is ", DescribeJson(*pair)),
                       "[token, id]");
      }
      result_.layout.push_back((*pair)[0].get<std::string>());
      if (name == "cls") result_.layout.emplace_back("$A");
    }
    return absl::OkStatus();
  }

  const Json& root_;
  PipelineSpec spec_;
  PieceIds ids_;
  bool is_byte_level_ = false;
  TokenizerJson result_;
};

}  // namespace

absl::StatusOr<TokenizerJson> ParseTokenizerJson(std::string_view text, std::string_view file) {
  const absl::StatusOr<Json> root = ParseJsonObject(text, file, kLimits);
  if (!root.ok()) return root.status();
  return Reader(file, *root).Read();
}

}  // namespace dragoman::engine
