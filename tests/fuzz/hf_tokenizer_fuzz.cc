// Input: config.json, tokenizer_config.json and vocab.json, each with a zero byte after it, and a
// SentencePiece model. They are the tokenizer of a Hugging Face directory that uses one
// SentencePiece model for both languages: with fairseq's offset of ids, with ids from vocab.json,
// or as in T5. All ids that are read must be ids of the model, and every language that it lists
// must resolve by its name.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "engine/model/layouts/hf/config.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

// A temporary directory that all inputs reuse for their files.
class Directory {
 public:
  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hf_tokenizer_XXXXXX").string();
    dragoman::FuzzCheck(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::string& path() const { return path_; }
  void Write(const std::string& file, std::string_view bytes) const {
    std::ofstream(path_ + "/" + file, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

// Returns the text up to the next zero byte or the end, and removes both from `rest`.
std::string Next(std::string_view* rest) {
  const size_t end = std::min(rest->find('\0'), rest->size());
  std::string text(rest->substr(0, end));
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return text;
}

void CheckLanguages(const dragoman::engine::LanguageMap& languages) {
  const auto& pairs = languages.Pairs();
  if (pairs.empty()) return;
  // Checks only three pairs, because a hundred languages have ten thousand.
  for (const auto* pair : {&pairs.front(), &pairs[pairs.size() / 2], &pairs.back()}) {
    dragoman::FuzzCheck(languages.Resolve(pair->source, pair->target).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Directory directory;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  dragoman::engine::HfConfigTexts texts;
  texts.config = Next(&rest);
  texts.tokenizer.config = Next(&rest);
  auto config = dragoman::engine::ParseHfConfig(texts);
  if (!config.ok() || config->tokenizer.scheme == &dragoman::engine::kMarianTokenizer) return 0;
  const std::string vocabulary = Next(&rest);
  for (const char* file : {"vocab.json", "vocab-src.json", "vocab-tgt.json"}) {
    directory.Write(file, vocabulary);
  }
  for (const char* file : {"sentencepiece.bpe.model", "spiece.model", "merges.txt"})
    directory.Write(file, rest);

  const auto read =
      dragoman::engine::ReadHfTokenizer(dragoman::engine::DiskFolder(directory.path()),
                                        dragoman::engine::TokenizerChoice::kSlow, &*config);
  if (!read.ok()) return 0;
  const int rows = config->spec.shape.source_vocab;
  dragoman::FuzzCheck(read->source_vocabulary.size() == rows);
  for (int id = 0; id < rows; ++id) {
    const std::string_view piece = read->source_vocabulary.PieceOf(id);
    dragoman::FuzzCheck(piece.empty() || read->source_vocabulary.IdOf(piece) == id);
  }
  const dragoman::engine::TokenizerDescription& facts = read->tokenizer;
  for (const int id : {facts.source_eos, facts.source_unk, config->spec.tokens.unk}) {
    dragoman::FuzzCheck(id >= 0 && id < rows);
  }
  dragoman::FuzzCheck(std::is_sorted(facts.special.begin(), facts.special.end()));
  const int target_rows = config->spec.shape.target_vocab;
  for (const int id : facts.special) dragoman::FuzzCheck(id >= 0 && id < target_rows);
  dragoman::FuzzCheck(facts.max_source_tokens > 0);
  CheckLanguages(read->languages);
  return 0;
}
