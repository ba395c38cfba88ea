// Checks glossaries against the vocabulary of the bundled model.

#include <gtest/gtest.h>

#include "engine/text/terms/glossary.h"
#include "tests/engine/text/json_pieces.h"
#include "tests/engine/text/text_test_data.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

class GlossaryTargets : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = "deploy/models/de-en/";
    pieces_ = std::make_unique<JsonPieces>(ReadSourceFile(folder + "vocab.json"));
    TokenizerFiles files;
    files.source_spm = ReadSourceFile(folder + "source.spm");
    files.target_spm = ReadSourceFile(folder + "target.spm");
    auto tokenizer = ExpectOk(Tokenizer::Create(
        files, pieces_.get(), pieces_.get(),
        {*pieces_->IdOf("</s>"), *pieces_->IdOf("<unk>"), *pieces_->IdOf("<pad>")}));
    tokenizer_ = *std::move(tokenizer);
  }

  std::unique_ptr<JsonPieces> pieces_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_F(GlossaryTargets, ThatTheModelCanWrite) {
  const auto file =
      Glossary::Parse("Haus\thouse\n漢字\tChinese characters\n", "a.tsv", GlossaryFormat::kTsv);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->CheckTargets(*tokenizer_).ok());  // sources may be anything
}

TEST_F(GlossaryTargets, WithUnknownCharactersAreNamedByLine) {
  const auto file =
      Glossary::Parse("Haus\thouse\n\nBaum\t漢字\nx\t漢\n", "a.tsv", GlossaryFormat::kTsv);
  ASSERT_TRUE(file.ok());
  const absl::Status status = (*file)->CheckTargets(*tokenizer_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "a.tsv:3: the target '漢字' has characters that the model's vocabulary lacks, expected "
            "text that the model can write");
}

TEST_F(GlossaryTargets, OfARequestAreNamedByIndex) {
  const std::vector<Term> terms = {{"Haus", "house"}, {"Baum", "\u200B"}};
  const auto request = Glossary::FromTerms(terms, "terms");
  ASSERT_TRUE(request.ok());
  const absl::Status status = (*request)->CheckTargets(*tokenizer_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "terms[1]: the target '\u200B' has no tokens, expected text that the model can write");
}

}  // namespace
}  // namespace dragoman::engine
