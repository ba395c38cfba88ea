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
  BundledTokenizer() : pieces_(ReadSourceFile("deploy/models/de-en/vocab.json")) {
    TokenizerFiles files;
    files.source_spm = ReadSourceFile("deploy/models/de-en/source.spm");
    files.target_spm = ReadSourceFile("deploy/models/de-en/target.spm");
    tokenizer_ =
        *Tokenizer::Create(files, &pieces_, &pieces_, {Id("</s>"), Id("<unk>"), Id("<pad>")});
  }

  const Tokenizer* get() const { return tokenizer_.get(); }
  const Tokenizer* operator->() const { return tokenizer_.get(); }
  const Tokenizer& operator*() const { return *tokenizer_; }
  int Id(const std::string& piece) const { return pieces_.IdOf(piece).value(); }
  const JsonPieces& pieces() const { return pieces_; }

 private:
  JsonPieces pieces_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

}  // namespace dragoman::testing
