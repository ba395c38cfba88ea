// libsentencepiece, as the oracle of engine/text/sentencepiece/sentence_piece.h.
//
// Only spm_oracle.cc includes its header, because that defines absl::string_view differently. The
// library contains its own protobuf, so a test that links it must not link the system's.
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

  // Returns null if the library refuses the bytes.
  static std::unique_ptr<SpmOracle> Load(std::string_view bytes);
  ~SpmOracle();

  std::vector<Token> Encode(std::string_view text) const;
  std::string Decode(const std::vector<std::string>& pieces) const;
  std::vector<std::string> AllPieces() const;

  // Trains a model. `args`: such as "--model_type=bpe --vocab_size=300". Returns "" on failure.
  static std::string Train(std::string_view args, const std::vector<std::string>& lines);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dragoman::engine
