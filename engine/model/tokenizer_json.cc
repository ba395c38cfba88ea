#include "engine/model/tokenizer_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "engine/model/concat.h"
#include "engine/model/json.h"
#include "engine/model/model_files.h"
#include "engine/model/model_limits.h"
#include "engine/text/pipeline_model.h"

namespace dragoman {
namespace {

using Json = nlohmann::json;

constexpr JsonLimits kLimits = {
    .max_bytes = kMaxVocabularyBytes, .max_depth = 16, .max_values = size_t{8} << 20};
constexpr size_t kMaxPieceBytes = 1024;
constexpr size_t kMaxSteps = 16;
constexpr size_t kMaxAdded = 1 << 16;

class Reader {
 public:
  Reader(std::string_view file, const Json& root) : file_(file), root_(root) {}

  absl::StatusOr<TokenizerJson> Read() {
    absl::Status status = ReadModel();
    if (status.ok()) status = ReadAdded();
    if (status.ok()) status = ReadNormalizer(root_, "normalizer", 0);
    if (status.ok()) status = ReadPreTokenizer();
    if (status.ok()) status = CheckDecoder();
    if (status.ok()) status = ReadTemplate();
    if (!status.ok()) return status;
    for (const PipelineSpec::Piece& piece : spec_.pieces) result_.pieces.push_back(piece.text);
    absl::StatusOr<std::unique_ptr<PipelineModel>> model =
        PipelineModel::Create(std::move(spec_), file_);
    if (!model.ok()) return model.status();
    result_.model = *std::move(model);
    return std::move(result_);
  }

 private:
  absl::Status Invalid(std::string_view field, std::string_view found,
                       std::string_view expected) const {
    return absl::InvalidArgumentError(
        Concat(file_, ": field '", field, "' ", found, ", expected ", expected));
  }
  absl::Status Unsupported(std::string_view field, std::string_view found,
                           std::string_view supported) const {
    return absl::UnimplementedError(Concat(file_, ": field '", field, "' is ", found,
                                           ", which is not supported; supported: ", supported));
  }
  // nullptr when absent or null.
  static const Json* Find(const Json& object, std::string_view name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(std::string(name));
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  static std::string TypeOf(const Json& object) {
    const Json* type = Find(object, "type");
    return type != nullptr && type->is_string() ? type->get<std::string>() : "";
  }
  // A field that may be absent; what is no bool is an error of `status`.
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

  // Ids by piece, for what refers to pieces.
  absl::Status Index() {
    for (size_t id = 0; id < spec_.pieces.size(); ++id) {
      const std::string& piece = spec_.pieces[id].text;
      if (!ids_.emplace(piece, static_cast<int32_t>(id)).second) {
        return Invalid("model.vocab", Concat("has '", piece.substr(0, 64), "' twice"),
                       "every piece once");
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadModel() {
    const Json* model = Find(root_, "model");
    if (model == nullptr || !model->is_object()) {
      return Invalid("model", "is missing", "a Unigram or a BPE model");
    }
    // Files of 2020 do not say it.
    std::string type = TypeOf(*model);
    if (type.empty() && Find(*model, "merges") != nullptr) type = "BPE";
    if (type.empty() && Find(*model, "unk_id") != nullptr) type = "Unigram";
    if (type != "Unigram" && type != "BPE") {
      return Unsupported("model.type", Concat("'", type.substr(0, 64), "'"), "Unigram, BPE");
    }
    spec_.model = type == "BPE" ? PipelineSpec::kBpe : PipelineSpec::kUnigram;
    absl::Status status;
    spec_.byte_fallback = Flag(*model, "model", "byte_fallback", false, &status);
    if (!status.ok()) return status;
    return type == "BPE" ? ReadBpe(*model) : ReadUnigram(*model);
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
      spec_.pieces.push_back({pair[0].get<std::string>(), pair[1].get<double>(), false});
    }
    const Json* unknown = Find(model, "unk_id");
    if (unknown == nullptr || !unknown->is_number_unsigned() ||
        unknown->get<uint64_t>() >= spec_.pieces.size()) {
      return Invalid("model.unk_id",
                     unknown == nullptr ? "is missing" : Concat("is ", DescribeJson(*unknown)),
                     Concat("an id from 0 to ", spec_.pieces.size() - 1));
    }
    spec_.unknown = unknown->get<int32_t>();
    return Index();
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
    spec_.fuse_unknown = Flag(model, "model", "fuse_unk", false, &status);
    if (!status.ok()) return status;
    const Json* vocab = Find(model, "vocab");
    if (vocab == nullptr || !vocab->is_object() || vocab->empty() ||
        vocab->size() > static_cast<size_t>(kMaxVocabulary)) {
      return Invalid("model.vocab", "is no object",
                     Concat("1 to ", kMaxVocabulary, " pieces with their ids"));
    }
    spec_.pieces.resize(vocab->size());
    for (const auto& [piece, id] : vocab->items()) {
      status = CheckPiece("model.vocab", Json(piece));
      if (!status.ok()) return status;
      const bool fits = id.is_number_unsigned() && id.get<uint64_t>() < vocab->size();
      if (!fits || !spec_.pieces[id.get<size_t>()].text.empty()) {
        return Invalid("model.vocab",
                       Concat("gives '", piece.substr(0, 64), "' the id ", DescribeJson(id)),
                       Concat("each from 0 to ", vocab->size() - 1, " once"));
      }
      spec_.pieces[id.get<size_t>()].text = piece;
    }
    status = Index();
    if (!status.ok()) return status;
    if (const Json* unknown = Find(model, "unk_token")) {
      const auto found = unknown->is_string() ? ids_.find(unknown->get<std::string>()) : ids_.end();
      if (found == ids_.end()) {
        return Invalid("model.unk_token", Concat("is ", DescribeJson(*unknown)),
                       "one of its pieces");
      }
      spec_.unknown = found->second;
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
      const auto l = ids_.find(left);
      const auto r = ids_.find(right);
      const auto both = ids_.find(left + right);
      if (l == ids_.end() || r == ids_.end() || both == ids_.end()) {
        return Invalid(kField, Concat("has ", DescribeJson(merge)),
                       "two pieces of the vocabulary that make a third");
      }
      spec_.merges.push_back({l->second, r->second, both->second});
    }
    return absl::OkStatus();
  }

  absl::Status ReadAdded() {
    constexpr std::string_view kField = "added_tokens";
    const Json* list = Find(root_, kField);
    if (list == nullptr) return absl::OkStatus();
    if (!list->is_array() || list->size() > kMaxAdded) {
      return Invalid(kField, Concat("is ", DescribeJson(*list)),
                     Concat("a list of at most ", kMaxAdded, " tokens"));
    }
    // They may all be new, and leave no gap.
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
      TokenizerJson::Added added{id->get<int>(), content->get<std::string>(),
                                 Flag(token, kField, "special", false, &status)};
      for (const auto& [name, absent] :
           {std::pair("normalized", true), std::pair("single_word", false),
            std::pair("lstrip", false), std::pair("rstrip", false)}) {
        // Those of special tokens say how they are found in a text, which they never are here.
        if (Flag(token, kField, name, absent, &status) && !added.special) {
          return Unsupported(Concat(kField, ".", name),
                             Concat("true for '", added.piece.substr(0, 64), "'"),
                             "false for tokens that are not special");
        }
      }
      if (!status.ok()) return status;
      const auto known = ids_.find(added.piece);
      const auto at = static_cast<size_t>(added.id);
      const bool is_new = known == ids_.end();
      const bool taken = at < spec_.pieces.size() && !spec_.pieces[at].text.empty();
      if (is_new ? taken : known->second != added.id) {
        return Invalid(
            kField, Concat("gives '", added.piece.substr(0, 64), "' the id ", added.id),
            is_new ? "one that no piece has" : "that of the same piece of the vocabulary");
      }
      if (is_new) {
        if (at >= spec_.pieces.size()) spec_.pieces.resize(at + 1);
        spec_.pieces[at].text = added.piece;
        spec_.pieces[at].hidden = true;  // no text is cut into it by the model
        ids_.emplace(added.piece, added.id);
      }
      if (added.special) spec_.pieces[at].hidden = true;
      if (!added.special) spec_.added.push_back(added.piece);
      result_.added.push_back(std::move(added));
    }
    return absl::OkStatus();
  }

  absl::Status ReadNormalizer(const Json& parent, std::string_view field, int depth) {
    const Json* normalizer = Find(parent, field);
    if (normalizer == nullptr) return absl::OkStatus();
    return ReadStep(*normalizer, depth);
  }

  absl::Status ReadStep(const Json& step, int depth) {
    constexpr std::string_view kField = "normalizer";
    const std::string type = TypeOf(step);
    if (spec_.normalizer.size() >= kMaxSteps) {
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
    } else if (type == "Replace") {
      status = ReadReplace(step, &made);
    } else {
      status = Unsupported("normalizer.type", Concat("'", type.substr(0, 64), "'"),
                           "Precompiled, Strip, Replace, Sequence of these");
    }
    if (status.ok()) spec_.normalizer.push_back(std::move(made));
    return status;
  }

  absl::Status ReadReplace(const Json& step, NormalizerStep* made) const {
    const Json* pattern = Find(step, "pattern");
    const Json* content = Find(step, "content");
    if (pattern == nullptr || content == nullptr || !content->is_string() ||
        content->get_ref<const std::string&>().size() > kMaxPieceBytes) {
      return Invalid("normalizer", Concat("has ", DescribeJson(step)), "'pattern' and 'content'");
    }
    made->content = content->get<std::string>();
    const Json* text = Find(*pattern, "String");
    const Json* regex = Find(*pattern, "Regex");
    if (regex != nullptr && *regex == " {2,}") {
      made->kind = NormalizerStep::kRuns;
      return absl::OkStatus();
    }
    if (text == nullptr || !text->is_string() || text->get_ref<const std::string&>().empty()) {
      return Unsupported("normalizer.pattern", DescribeJson(regex != nullptr ? *regex : *pattern),
                         "a string, the regular expression \" {2,}\"");
    }
    made->kind = NormalizerStep::kReplace;
    made->pattern = text->get<std::string>();
    return absl::OkStatus();
  }

  absl::Status ReadPreTokenizer() {
    constexpr std::string_view kField = "pre_tokenizer";
    constexpr std::string_view kSupported = "Metaspace, WhitespaceSplit followed by Metaspace";
    const Json* found = Find(root_, kField);
    if (found == nullptr) return Unsupported(kField, "null", kSupported);
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
      return Unsupported(Concat(kField, ".type"),
                         Concat("'", TypeOf(*metaspace).substr(0, 64), "'"), kSupported);
    }
    return ReadMetaspace(*metaspace);
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
    if (type == "Metaspace") return absl::OkStatus();
    return Unsupported("decoder.type", Concat("'", type.substr(0, 64), "'"), "Metaspace");
  }

  absl::Status ReadTemplate() {
    constexpr std::string_view kField = "post_processor";
    const Json* found = Find(root_, kField);
    if (found == nullptr) return absl::OkStatus();
    if (TypeOf(*found) != "TemplateProcessing") {
      return Unsupported(Concat(kField, ".type"), Concat("'", TypeOf(*found).substr(0, 64), "'"),
                         "TemplateProcessing, null");
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
          result_.layout.size() >= kMaxSteps) {
        return Invalid("post_processor.single", Concat("has ", DescribeJson(part)),
                       "special tokens around the sequence A");
      }
      result_.layout.push_back(special != nullptr ? id->get<std::string>() : "$A");
    }
    return absl::OkStatus();
  }

  const std::string_view file_;
  const Json& root_;
  PipelineSpec spec_;
  std::unordered_map<std::string, int32_t> ids_;
  TokenizerJson result_;
};

}  // namespace

absl::StatusOr<TokenizerJson> ParseTokenizerJson(std::string_view text, std::string_view file) {
  const absl::StatusOr<Json> root = ParseJson(text, file, kLimits);
  if (!root.ok()) return root.status();
  if (!root->is_object()) {
    return absl::InvalidArgumentError(
        Concat(file, ": is ", DescribeJson(*root), ", expected an object"));
  }
  return Reader(file, *root).Read();
}

}  // namespace dragoman
