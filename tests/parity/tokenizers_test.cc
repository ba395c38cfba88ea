// Compares modified tokenizers (make_tokenizers.py) with AutoTokenizer, slow and fast. Every text
// of fixtures/tokenizers.jsonl.gz must have the same ids, every list of ids the same text, and some
// n-best lists must be those of generate().
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/request/model_tokenizer.h"
#include "tests/engine/model/model_directory.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

// A tokenizer of the fixture, in a copy of its model's directory.
class Made {
 public:
  explicit Made(const json& row) : row_(row), directory_(row["base"].get<std::string>()) {
    for (const auto& [file, content] : row["files"].items()) {
      if (content.is_null()) {
        directory_.Remove(file);
      } else if (content.contains("json")) {
        directory_.Write(file, content["json"].dump());
      } else if (content.contains("text")) {
        directory_.Write(file, content["text"].get<std::string>());
      } else {
        std::string bytes;
        EXPECT_TRUE(absl::Base64Unescape(content["base64"].get<std::string>(), &bytes));
        directory_.Write(file, bytes);
      }
    }
  }

  std::string name() const { return row_["tokenizer"]; }
  absl::StatusOr<engine::LoadedModel> Load() const {
    const bool fast = row_["kind"] == "fast";
    return engine::LoadModel(
        directory_.path(), fast ? engine::TokenizerChoice::kFast : engine::TokenizerChoice::kSlow);
  }

 private:
  const json& row_;
  engine::ModelDirectory directory_;
};

std::vector<json> Rows() {
  Fixture fixture;
  ReadFixture("tokenizers", &fixture);
  EXPECT_GE(fixture.cases.size(), 25U);
  return std::move(fixture.cases);
}

TEST(Tokenizers, IdsAreThoseOfAutoTokenizer) {
  size_t texts = 0;
  for (const json& row : Rows()) {
    const Made made(row);
    const auto model = made.Load();
    EXPECT_TRUE(model.ok()) << made.name() << ": " << model.status();
    if (!model.ok()) continue;
    const auto tokenizer = ExpectOk(engine::MakeTokenizer(*model));
    const std::string source = row["source_lang"];
    const auto pair =
        ExpectOk(model->languages.Resolve(source, row["target_lang"].get<std::string>()));
    const std::vector<int> prompt = (*tokenizer)->EncodePrompt(pair->prompt);
    int wrong = 0;
    for (const json& one : row["cases"]) {
      const auto text = one[0].get<std::string>();
      engine::EncodedText encoded =
          (*tokenizer)->EncodeSource(text, {pair->tag, pair->last_tag, !pair->prompt.empty()});
      int64_t end = 0;
      for (const engine::TextRange& range : encoded.ranges) {
        EXPECT_TRUE(range.begin >= end && range.end >= range.begin) << made.name() << ": " << text;
        end = range.end;
      }
      EXPECT_LE(end, static_cast<int64_t>(text.size()));
      engine::PutBefore(prompt, &encoded);
      ++texts;
      if (json(encoded.ids) == one[1]) continue;
      if (++wrong <= 5) {
        ADD_FAILURE() << made.name() << ": '" << text << "': " << json(encoded.ids) << ", expected "
                      << one[1];
      }
    }
    EXPECT_EQ(wrong, 0) << made.name() << ", of " << row["cases"].size();
  }
  std::cout << texts << " texts\n";
}

TEST(Tokenizers, TextsAreThoseOfAutoTokenizer) {
  for (const json& row : Rows()) {
    const Made made(row);
    const auto model = made.Load();
    EXPECT_TRUE(model.ok()) << made.name() << ": " << model.status();
    if (!model.ok()) continue;
    const auto tokenizer = ExpectOk(engine::MakeTokenizer(*model));
    for (const json& one : row["decoded"]) {
      const auto ids = one[0].get<std::vector<int>>();
      const engine::DecodedText decoded = (*tokenizer)->DecodeWithRanges(ids);
      EXPECT_EQ(decoded.text, one[1]) << made.name() << ": " << one[0];
      // The text of every prefix must be a prefix of the complete text.
      for (size_t size = 0; size <= ids.size(); ++size) {
        const std::string prefix = (*tokenizer)->DecodePrefix(std::span(ids).first(size));
        EXPECT_TRUE(decoded.text.starts_with(prefix)) << made.name() << ": " << one[0];
      }
    }
  }
}

TEST(Tokenizers, NBestListsAreThoseOfGenerate) {
  for (const json& row : Rows()) {
    if (row["searched"].empty()) continue;
    const Made made(row);
    ParityModel model;
    auto loaded = made.Load();
    EXPECT_TRUE(loaded.ok()) << made.name() << ": " << loaded.status();
    if (!loaded.ok()) continue;
    model.loaded.emplace(*std::move(loaded));
    std::vector<std::unique_ptr<engine::Segment>> segments;
    for (const json& one : row["searched"]) {
      engine::DecodingOptions request = WideOptions(engine::Profile::kHf);
      request.beam_size = request.num_alternatives = one["num_beams"].get<int>();
      engine::SearchContext context;
      context.max_rows = 64;
      context.scores = true;
      auto settings = ExpectOk(engine::ResolveSearch(request, model.spec(), context));
      if (one.contains("first_token")) settings->forced_bos = one["first_token"].get<int32_t>();
      segments.push_back(MakeSegment(*settings, one["source_ids"].get<std::vector<int32_t>>()));
    }
    const auto results = Decode(model, std::move(segments), model.spec().tokens.decoder_start);
    double worst = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      const json& expected = row["searched"][i];
      ASSERT_EQ(results[i].size(), expected["tokens"].size());
      for (size_t rank = 0; rank < results[i].size(); ++rank) {
        const engine::DecodedHypothesis& found = results[i][rank];
        EXPECT_EQ(json(found.tokens), expected["tokens"][rank]) << made.name() << " " << i;
        if (expected["scores"][rank].is_null()) continue;
        worst =
            std::max(worst, std::abs(double{found.score} - expected["scores"][rank].get<double>()));
      }
    }
    EXPECT_LE(worst, 1e-4) << made.name();
    std::cout << made.name() << ": " << results.size() << " lists, largest difference of scores "
              << worst << "\n";
  }
}

}  // namespace
}  // namespace dragoman::parity
