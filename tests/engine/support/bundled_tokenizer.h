// The tokenizer of the bundled German-English model, without its weights.
#pragma once

#include <memory>
#include <string>

#include "engine/text/tokenizer.h"
#include "tests/engine/text/json_pieces.h"
#include "tests/engine/text/text_test_data.h"

namespace dragoman::testing {

class BundledTokenizer {
 public:
  BundledTokenizer() : pieces_(engine::ReadSourceFile("deploy/models/de-en/vocab.json")) {
    engine::TokenizerFiles files;
    files.source_spm = engine::ReadSourceFile("deploy/models/de-en/source.spm");
    files.target_spm = engine::ReadSourceFile("deploy/models/de-en/target.spm");
    tokenizer_ = *engine::Tokenizer::Create(files, &pieces_, &pieces_,
                                            {Id("</s>"), Id("<unk>"), Id("<pad>")});
  }

  const engine::Tokenizer* get() const { return tokenizer_.get(); }
  const engine::Tokenizer* operator->() const { return tokenizer_.get(); }
  const engine::Tokenizer& operator*() const { return *tokenizer_; }
  int Id(const std::string& piece) const { return pieces_.IdOf(piece).value(); }
  const engine::JsonPieces& pieces() const { return pieces_; }

 private:
  engine::JsonPieces pieces_;
  std::unique_ptr<engine::Tokenizer> tokenizer_;
};

}  // namespace dragoman::testing
