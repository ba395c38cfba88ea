#include "engine/model/layouts/marian/directory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/layouts/base/weights_loader.h"
#include "engine/model/layouts/marian/config.h"
#include "engine/model/layouts/marian/file.h"
#include "engine/model/tokenizers/marian_vocabularies.h"
#include "engine/model/tokenizers/tokenizer_rules.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kNpz = ".npz";
// The limit does not depend on the model's shape, because the shape is known only after the file is
// read. 64 GiB are 16 billion parameters in float32.
constexpr size_t kMaxModelBytes = size_t{64} << 30;
// The maximum size of a shortlist file. For a vocabulary of 32,000 words, such a file has 6 MB.
constexpr size_t kMaxShortlistBytes = size_t{1} << 30;
// The file names of the decoder's configuration, in the order in which they are tried. They come
// from OPUS-MT, from users and from Bergamot.
constexpr std::array<std::string_view, 3> kDecoderFiles = {"decoder.yml", "config.yml",
                                                           "config.intgemm8bitalpha.yml"};

// The endings of files whose names are not fixed.
const std::vector<std::string>& KnownEndings() {
  static const auto* const endings =
      new std::vector<std::string>{".npz", ".bin", ".spm", "vocab.yml"};
  return *endings;
}

bool IsModel(const DiskFolder& folder, const std::string& file) {
  if (file.ends_with(kNpz)) return true;
  if (!file.ends_with(".bin")) return false;
  const std::string begin = folder.FirstBytes(file, kMarianHeadBytes);
  // Also accepts a Git LFS pointer in place of a model, because the reader of the model then
  // reports the pointer.
  return begin == "version " ||
         IsMarianBinary({reinterpret_cast<const uint8_t*>(begin.data()), begin.size()});
}

// Returns the names as a list for a message: "a, b and c".
std::string Listed(const std::vector<std::string>& names) {
  std::string listed;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) listed += i + 1 == names.size() ? " and " : ", ";
    listed += names[i];
  }
  return listed;
}

class Finder {
 public:
  explicit Finder(const DiskFolder& folder)
      : folder_(folder), files_(folder.Names(KnownEndings())) {
    std::copy_if(files_.begin(), files_.end(), std::back_inserter(models_),
                 [&](const std::string& file) { return IsModel(folder, file); });
  }

  const std::vector<std::string>& models() const { return models_; }

  // Reads the decoder's configuration. Returns nullopt if there is none.
  absl::StatusOr<std::optional<MarianDecoder>> Decoder() {
    std::vector<std::string> names(kDecoderFiles.begin(), kDecoderFiles.end());
    for (const std::string& model : models_) names.push_back(model + ".decoder.yml");
    for (const std::string& name : names) {
      if (!folder_.Has(name)) continue;
      decoder_file_ = name;
      const absl::StatusOr<std::string> text = folder_.Read(name, kMaxConfigBytes);
      if (!text.ok()) return text.status();
      absl::StatusOr<MarianDecoder> decoder = ParseMarianDecoder(*text, name);
      if (!decoder.ok()) return decoder.status();
      return *std::move(decoder);
    }
    return std::nullopt;
  }

  absl::StatusOr<std::string> Model(const MarianDecoder& decoder) const {
    if (!decoder.models.empty()) return Named(decoder.models.front(), "models");
    if (models_.size() == 1) return models_.front();
    return absl::InvalidArgumentError(Concat("found the models ", Listed(models_),
                                             ", expected one, or a decoder.yml that names it"));
  }

  absl::StatusOr<MarianVocabularyFiles> Vocabularies(const MarianDecoder& decoder) const {
    if (!decoder.vocabularies.empty()) {
      absl::StatusOr<std::string> source = Named(decoder.vocabularies[0], "vocabs");
      if (!source.ok()) return source.status();
      absl::StatusOr<std::string> target = Named(decoder.vocabularies[1], "vocabs");
      if (!target.ok()) return target.status();
      return FilesOf(*std::move(source), *std::move(target));
    }
    const std::vector<std::string> sources = Like("srcvocab.", ".spm");
    const std::vector<std::string> targets = Like("trgvocab.", ".spm");
    if (sources.size() == 1 && targets.size() == 1) {
      return FilesOf(sources.front(), targets.front());
    }
    std::vector<std::string> shared = Like("vocab.", ".spm");
    for (std::string& file : Like("", "vocab.yml")) shared.push_back(std::move(file));
    if (shared.size() == 1) return FilesOf(shared.front(), shared.front());
    if (!shared.empty()) {
      return absl::InvalidArgumentError(Concat("found the vocabularies ", Listed(shared),
                                               ", expected one, or a decoder.yml that names them"));
    }
    return absl::NotFoundError(
        "found no vocabulary, expected vocab.*.spm, srcvocab.*.spm and trgvocab.*.spm, or "
        "*vocab.yml with source.spm and target.spm");
  }

  absl::StatusOr<std::string> Shortlist(const MarianDecoder& decoder) const {
    if (!decoder.shortlist.empty()) return Named(decoder.shortlist, "shortlist");
    const std::vector<std::string> found = Like("lex.", ".bin");
    if (found.size() == 1) return found.front();
    if (found.empty()) {
      return absl::NotFoundError(
          "found no shortlist, expected lex.*.bin, or a decoder.yml that names one");
    }
    return absl::InvalidArgumentError(Concat("found the shortlists ", Listed(found),
                                             ", expected one, or a decoder.yml that names it"));
  }

 private:
  static MarianVocabularyFiles FilesOf(std::string source, std::string target) {
    return {.source = std::move(source), .target = std::move(target), .model = ""};
  }

  // Returns the name of the file that the configuration names by `path`. Ignores the path's
  // directories, which belong to the author's machine: the file must be in the model's folder.
  absl::StatusOr<std::string> Named(const std::string& path, std::string_view field) const {
    std::string name = std::filesystem::path(path).filename().string();
    if (!name.empty() && folder_.Has(name)) return name;
    return absl::NotFoundError(Concat(decoder_file_, ": field '", field, "' names ",
                                      std::string_view(path).substr(0, 200),
                                      ", and there is no such file in the directory"));
  }
  std::vector<std::string> Like(std::string_view begin, std::string_view end) const {
    std::vector<std::string> found;
    for (const std::string& file : files_) {
      if (file.starts_with(begin) && file.ends_with(end)) found.push_back(file);
    }
    return found;
  }

  const DiskFolder& folder_;
  const std::vector<std::string> files_;
  std::vector<std::string> models_;
  std::string decoder_file_;
};

// Returns the model's options from its file or, if it has none, from FILE.yml next to it.
absl::StatusOr<std::string> OptionsOf(const ModelFolder& folder, const std::string& file,
                                      const MarianFile& model) {
  if (!model.options.empty()) return std::string(model.options);
  const std::string beside = file + ".yml";
  if (folder.Has(beside)) return folder.Read(beside, kMaxConfigBytes);
  return absl::NotFoundError(Concat(file, ": has no special:model.yml, the options of the model, ",
                                    "and there is no ", beside));
}

bool Recognises(const DiskFolder& folder) {
  return !folder.Has("config.json") && !Finder(folder).models().empty();
}

absl::StatusOr<LoadedModel> Load(const DiskFolder& folder, TokenizerChoice tokenizer) {
  absl::Status status = RequireSlow(tokenizer, "Marian's own files");
  if (!status.ok()) return status;
  Finder finder(folder);
  const absl::StatusOr<std::optional<MarianDecoder>> given = finder.Decoder();
  if (!given.ok()) return given.status();
  const MarianDecoder decoder = given->value_or(MarianDecoder());
  const absl::StatusOr<std::string> name = finder.Model(decoder);
  if (!name.ok()) return name.status();
  absl::StatusOr<MarianVocabularyFiles> vocabularies = finder.Vocabularies(decoder);
  if (!vocabularies.ok()) return vocabularies.status();
  vocabularies->model = *name;

  absl::StatusOr<MappedFile> bytes = folder.Map(*name, kMaxModelBytes);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<MarianFile> file = name->ends_with(kNpz)
                                        ? ParseMarianNpz(bytes->bytes(), *name)
                                        : ParseMarianBinary(bytes->bytes(), *name);
  if (absl::Status status = bytes->Check(); !status.ok()) return status;
  if (!file.ok()) return file.status();
  const absl::StatusOr<std::string> options = OptionsOf(folder, *name, *file);
  if (!options.ok()) return options.status();
  absl::StatusOr<MarianNetwork> read = ReadMarianNetwork(*file, *options, *name, decoder);
  if (!read.ok()) return read.status();
  absl::StatusOr<Network> network = MakeNetwork(read->spec, read->traits);
  if (!network.ok()) return network.status();
  status = CheckMarianTensors(*file, *name, *network);
  if (!status.ok()) return status;
  absl::StatusOr<ModelTokenizer> texts = ReadMarianVocabularies(
      folder, *vocabularies, read->spec.embedding_sizes(), &read->spec.tokens);
  if (!texts.ok()) return texts.status();
  // Marian excludes <unk> from the search unless the option allow-unk is set.
  if (!decoder.allow_unk) read->spec.generation.bad_words = {{read->spec.tokens.unk}};
  LoadedModel model(*std::move(texts));
  model.spec = std::move(read->spec);
  model.names_shortlist = !decoder.shortlist.empty();

  Checkpoint checkpoint;
  checkpoint.names.push_back(*name);
  checkpoint.files.push_back(*std::move(bytes));
  checkpoint.tensors = std::move(file->tensors);
  absl::StatusOr<OpenedWeights> loaded = OpenWeights(folder, std::move(checkpoint), *network);
  if (!loaded.ok()) return loaded.status();
  model.program = std::move(network->program);
  model.weights = std::move(loaded->weights);
  return model;
}

// Returns the number of words in the vocabulary, without ids at its end that have no piece.
int WordsOf(const Vocabulary& vocabulary) {
  int words = vocabulary.size();
  while (words > 0 && vocabulary.PieceOf(words - 1).empty()) --words;
  return words;
}

absl::StatusOr<LexicalShortlist> ReadShortlist(const DiskFolder& folder, const LoadedModel& model) {
  Finder finder(folder);
  const absl::StatusOr<std::optional<MarianDecoder>> given = finder.Decoder();
  if (!given.ok()) return given.status();
  const MarianDecoder decoder = given->value_or(MarianDecoder());
  const absl::StatusOr<MarianVocabularyFiles> vocabularies = finder.Vocabularies(decoder);
  if (!vocabularies.ok()) return vocabularies.status();
  const absl::StatusOr<std::string> name = finder.Shortlist(decoder);
  if (!name.ok()) return name.status();
  const absl::StatusOr<MappedFile> bytes = folder.Map(*name, kMaxShortlistBytes);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<LexicalShortlist> shortlist =
      LexicalShortlist::Parse(bytes->bytes(), *name,
                              {WordsOf(model.source_vocabulary), WordsOf(model.TargetVocabulary()),
                               vocabularies->source == vocabularies->target});
  if (absl::Status status = bytes->Check(); !status.ok()) return status;
  return shortlist;
}

}  // namespace

const ModelLayout kMarianLayout = {.name = "marian", .recognises = Recognises, .load = Load};

absl::StatusOr<LexicalShortlist> ReadMarianShortlist(const std::string& directory,
                                                     const LoadedModel& model, LoadContext* load) {
  absl::StatusOr<LexicalShortlist> shortlist = ReadShortlist(DiskFolder(directory, load), model);
  if (!shortlist.ok()) return InDirectory(directory, shortlist.status());
  return shortlist;
}

}  // namespace dragoman::engine
