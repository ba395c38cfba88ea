// libsentencepiece, as the oracle of engine/text/sentencepiece/sentence_piece.h.
//
// Its header defines absl::string_view in its own way, so it is included in spm_oracle.cc only, and
// its library carries a protobuf of its own, so a test that links it must not link the system's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::engine {

class SpmOracle {
 public:
  struct Token {
    std::string piece;
    int64_t begin = 0;
    int64_t end = 0;
  };

  // Null when the library refuses the bytes.
  static std::unique_ptr<SpmOracle> Load(std::string_view bytes);
  ~SpmOracle();

  std::vector<Token> Encode(std::string_view text) const;
  std::string Decode(const std::vector<std::string>& pieces) const;
  std::vector<std::string> AllPieces() const;

  // Trains a model on lines; `args` are the trainer's ("--model_type=bpe --vocab_size=300"). ""
  // when that fails.
  static std::string Train(std::string_view args, const std::vector<std::string>& lines);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dragoman::engine
