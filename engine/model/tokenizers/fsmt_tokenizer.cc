// Reads the files of an FSMTTokenizer. It splits a text into words as Moses does
// (engine/text/moses/moses.h), cuts words by byte pair encoding (merges.txt), and has a vocabulary
// for each side: vocab-src.json and vocab-tgt.json. A source is the text and </s>.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/model/tokenizers/tokenizer_rules.h"
#include "engine/text/moses/moses_bpe.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kSourceFile = "vocab-src.json";
constexpr std::string_view kTargetFile = "vocab-tgt.json";

void CheckFsmtFields(const TokenizerConfig& config, JsonFields* fields) {
  if (config.source_language.empty()) fields->Fail("langs", "a list of two languages");
  if (fields->Bool("do_lower_case", false)) fields->Unsupported("do_lower_case", "false");
}

// Refuses tokens that users have added. transformers would cut them out of the text before it
// applies Moses's rules.
absl::Status CheckAdded(const TokenizerSettings& settings, const Vocabulary& source) {
  const auto refused = [](std::string_view file, const std::string& piece) {
    return absl::UnimplementedError(Concat(file, ": has '", piece.substr(0, 64), "'; supported: ",
                                           "special tokens in their places in ", kSourceFile));
  };
  for (const auto& [id, token] : settings.added) {
    if (source.IdOf(token.text) != id) return refused(settings.added_file, token.text);
  }
  for (const AddedToken& token : settings.listed) {
    if (!source.IdOf(token.text)) return refused(settings.listed_file, token.text);
  }
  return absl::OkStatus();
}

// The ids of one side's special tokens: EOS, <unk>, and others that are not text.
struct SideIds {
  int eos = 0;
  int unk = 0;
  std::vector<int> others;
};

absl::StatusOr<SideIds> ReadIds(const Vocabulary& vocabulary, std::string_view file,
                                const TokenizerSettings& settings) {
  SideIds ids;
  const absl::StatusOr<int> eos = SpecialId(vocabulary, file, settings.eos_piece);
  if (!eos.ok()) return eos.status();
  const absl::StatusOr<int> unk = SpecialId(vocabulary, file, settings.unk_piece);
  if (!unk.ok()) return unk.status();
  ids.eos = *eos;
  ids.unk = *unk;
  for (const std::string* piece : {&settings.bos_piece, &settings.pad_piece}) {
    if (const std::optional<int> id = vocabulary.IdOf(*piece)) ids.others.push_back(*id);
  }
  std::sort(ids.others.begin(), ids.others.end());
  return ids;
}

absl::StatusOr<ModelTokenizer> ReadFsmtTokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                                 CheckpointConfig* config) {
  const TokenizerSettings& settings = config->tokenizer;
  absl::Status status = RequireSlow(choice, "an FSMTTokenizer");
  if (!status.ok()) return status;
  const EmbeddingSizes& sizes = config->sizes;
  absl::StatusOr<Vocabulary> source = ReadVocabulary(folder, kSourceFile, sizes.source);
  if (!source.ok()) return source.status();
  absl::StatusOr<Vocabulary> target = ReadVocabulary(folder, kTargetFile, sizes.target);
  if (!target.ok()) return target.status();
  absl::StatusOr<SideIds> source_ids = ReadIds(*source, kSourceFile, settings);
  if (!source_ids.ok()) return source_ids.status();
  absl::StatusOr<SideIds> target_ids = ReadIds(*target, kTargetFile, settings);
  if (!target_ids.ok()) return target_ids.status();
  config->ids.unk = target_ids->unk;
  status = CheckAdded(settings, *source);
  if (status.ok()) status = CheckSpecialIds(*target, kTargetFile, *config);
  if (status.ok()) status = CheckSourceRoom(*config, 1);
  if (!status.ok()) return status;

  absl::StatusOr<std::string> merges = folder.Read(kMergesFile, kMaxVocabularyBytes);
  if (!merges.ok()) return merges.status();
  TokenizerDescription facts;
  for (const auto& [language, model] :
       {std::pair(&settings.source_language, &facts.model),
        std::pair(&settings.target_language, &facts.target_model)}) {
    absl::StatusOr<std::unique_ptr<MosesBpe>> made = MosesBpe::Create(*merges, *language);
    if (!made.ok()) {
      return absl::Status(
          made.status().code(),
          Concat(kTokenizerConfigFile, ": field 'langs': ", made.status().message()));
    }
    *model = *std::move(made);
  }
  facts.source_spm = facts.target_spm = *std::move(merges);
  facts.source_path = facts.target_path = PathOf(folder.path(), kMergesFile);
  facts.source_eos = source_ids->eos;
  facts.source_unk = source_ids->unk;
  facts.source_special = std::move(source_ids->others);
  facts.special = std::move(target_ids->others);
  facts.max_source_tokens = settings.model_max_length;
  return ModelTokenizer{*std::move(source), *std::move(target), std::move(facts),
                        LanguageMap(settings.source_language, settings.target_language, {})};
}

}  // namespace

const TokenizerScheme kFsmtTokenizer = {
    .read = ReadFsmtTokenizer, .has_json = false, .check = CheckFsmtFields};

}  // namespace dragoman::engine
