#include "engine/model/layouts/argos/package.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/json.h"
#include "engine/model/formats/zip_folder.h"
#include "engine/model/layouts/ct2/directory.h"
#include "engine/model/tokenizers/tokenizer_rules.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kEnding = ".argosmodel";
constexpr std::string_view kMetadata = "metadata.json";
constexpr std::string_view kModelFolder = "model";
constexpr std::string_view kPieces = "sentencepiece.model";
constexpr std::string_view kWords = "bpe.model";
constexpr std::string_view kExpected =
    "expected an Argos package, a folder with metadata.json, sentencepiece.model and model/";

// The options that argostranslate passes to CTranslate2 (translate.py, apply_packaged_translation).
constexpr int kBeam = 4;
constexpr float kLengthPenalty = 0.2F;

// The fields of metadata.json that list languages. They must be empty: a package with several
// languages is not supported, because argostranslate does not tell such a model the language of a
// request.
constexpr NeutralField kNeutralFields[] = {{"from_codes", Neutral::kEmpty},
                                           {"to_codes", Neutral::kEmpty},
                                           {"languages", Neutral::kEmpty},
                                           {"source_languages", Neutral::kEmpty},
                                           {"target_languages", Neutral::kEmpty}};

// Returns the package's folder in the archive, with '/' at its end.
absl::StatusOr<std::string> FolderOf(const ZipArchive& archive) {
  std::vector<std::string> found;
  for (const auto& [name, entry] : archive.entries()) {
    const size_t slash = name.find('/');
    const std::string folder = slash == name.npos ? "" : name.substr(0, slash + 1);
    if (name == Concat(folder, kMetadata)) found.push_back(folder);
  }
  if (found.empty()) {
    return absl::NotFoundError(
        Concat(archive.path(), ": found no metadata.json in the archive, ", kExpected));
  }
  if (found.size() > 1) {
    return absl::InvalidArgumentError(Concat(archive.path(), ": has '", found[0], kMetadata,
                                             "' and '", found[1], kMetadata, "', expected one"));
  }
  return found.front();
}

absl::Status BeginOutputsWith(const std::string& piece, LoadedModel* model) {
  const std::optional<int> id = model->TargetVocabulary().IdOf(piece);
  if (!id) {
    return absl::InvalidArgumentError(Concat(kMetadata, ": field 'target_prefix' is '",
                                             std::string_view(piece).substr(0, 64),
                                             "', expected a piece of the target's vocabulary"));
  }
  model->languages.BeginOutputsWith(*id);
  std::vector<int>& special = model->tokenizer.special;
  special.insert(std::lower_bound(special.begin(), special.end(), *id), *id);
  special.erase(std::unique(special.begin(), special.end()), special.end());
  return absl::OkStatus();
}

absl::StatusOr<LoadedModel> LoadFrom(const ModelFolder& package, const ModelFolder& model_folder) {
  const absl::StatusOr<std::string> text = package.Read(kMetadata, kMaxConfigBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<ArgosMetadata> metadata = ParseArgosMetadata(*text, kMetadata);
  if (!metadata.ok()) return metadata.status();
  if (!package.Has(kPieces) && package.Has(kWords)) {
    return absl::UnimplementedError(Concat("has ", kWords,
                                           ", of Moses' tokenizer and subword-nmt, ",
                                           "which is not supported; supported: ", kPieces));
  }
  if (!package.Has(kPieces)) {
    return absl::NotFoundError(Concat("found no tokenizer, expected ", kPieces));
  }
  absl::StatusOr<LoadedModel> model =
      LoadCt2Model(model_folder, package,
                   {.source_language = metadata->source, .target_language = metadata->target},
                   TokenizerChoice::kAuto);
  if (!model.ok()) return model.status();
  // Gives the model no language tokens, even if some of its pieces look like language tokens,
  // because argostranslate never uses them.
  model->languages = LanguageMap(metadata->source, metadata->target, {});
  GenerationDefaults& search = model->spec.generation;
  search.num_beams = kBeam;
  search.length_penalty = kLengthPenalty;
  if (!metadata->target_prefix.empty()) {
    absl::Status status = BeginOutputsWith(metadata->target_prefix, &*model);
    if (!status.ok()) return status;
  }
  return model;
}

absl::StatusOr<LoadedModel> LoadPackage(const DiskFolder& disk) {
  std::error_code error;
  const std::string& path = disk.path();
  if (std::filesystem::is_directory(path, error)) {
    return LoadFrom(disk, DiskFolder(PathOf(path, kModelFolder), disk.load()));
  }
  const absl::StatusOr<ZipArchive> archive = ZipArchive::Open(path, disk.load());
  if (!archive.ok()) return archive.status();
  const absl::StatusOr<std::string> folder = FolderOf(*archive);
  if (!folder.ok()) return folder.status();
  return LoadFrom(ZipFolder(&*archive, *folder),
                  ZipFolder(&*archive, Concat(*folder, kModelFolder, "/")));
}

bool Recognises(const DiskFolder& folder) { return folder.Has(kMetadata); }

absl::StatusOr<LoadedModel> Load(const DiskFolder& folder, TokenizerChoice tokenizer) {
  absl::Status status = RequireSlow(tokenizer, "an Argos package");
  if (!status.ok()) return status;
  absl::StatusOr<LoadedModel> model = LoadPackage(folder);
  if (!model.ok()) return model;
  model->name = NameOf(folder.path());
  if (model->name.ends_with(kEnding)) model->name.resize(model->name.size() - kEnding.size());
  return model;
}

}  // namespace

absl::StatusOr<ArgosMetadata> ParseArgosMetadata(std::string_view text, std::string_view file) {
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(text, file);
  if (!root.ok()) return root.status();
  JsonFields fields(file, *root);
  if (const std::string type = fields.String("type", "translate"); type != "translate") {
    fields.Unsupported("type", "\"translate\"");
  }
  RequireNeutral(kNeutralFields, &fields);
  ArgosMetadata metadata;
  for (const auto& [name, value] :
       {std::pair("from_code", &metadata.source), std::pair("to_code", &metadata.target)}) {
    *value = fields.String(name, "");
    if (!ParseLanguageCode(*value)) fields.Fail(name, "a code of a language");
  }
  metadata.target_prefix = fields.String("target_prefix", "");
  if (!fields.status().ok()) return fields.status();
  return metadata;
}

const ModelLayout kArgosLayout = {.name = "argos", .recognises = Recognises, .load = Load};

}  // namespace dragoman::engine
