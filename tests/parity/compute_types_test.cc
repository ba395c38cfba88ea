// Measures how near bfloat16 and int8 come to float32 for every family, with the same model,
// sources and search, and compares the log-probabilities that each type gives to the tokens that
// float32 found. Most weights are random, so many translations have nearly the same score and a
// small error changes which one is best. Differences of log-probabilities therefore say more than
// equal outputs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/decode/cpu_model.h"
#include "engine/decode/ensemble_model.h"
#include "engine/request/model_tokenizer.h"
#include "tests/parity/family_list.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

constexpr size_t kTexts = 60;
constexpr int kLimit = 24;

std::vector<std::string> Texts() {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  std::vector<std::string> texts;
  for (std::string line; texts.size() < kTexts && std::getline(file, line);) {
    if (!line.empty()) texts.push_back(line);
  }
  return texts;
}

class Model {
 public:
  explicit Model(const Family& family) {
    std::vector<std::unique_ptr<ParityModel>> members;
    for (const char* name : family.models) {
      members.push_back(std::make_unique<ParityModel>());
      LoadParityModel(std::string("tests/data/models/") + name, Place::kCpu, members.back().get());
      if (!members.back()->loaded) return;
      const engine::LoadedModel& loaded = *members.back()->loaded;
      networks_.push_back({loaded.program, loaded.weights, 1.0});
    }
    model_ = std::move(*members.front());
    model_.loaded->spec.is_ensemble = networks_.size() > 1;
    const auto pair = ExpectOk(model_.loaded->languages.Resolve(family.source, family.target));
    if (!pair.ok()) return;
    first_ = pair->first;
    start_ = pair->start;
    ReadSources(*pair);
  }

  bool ok() const { return sources_.size() == kTexts; }
  bool has_first_token() const { return first_.has_value(); }

  // Returns the best hypotheses of a beam of 4 in a compute type.
  std::vector<engine::DecodedHypothesis> Search(kernels::ComputeType type) {
    engine::DecodingOptions request = WideOptions(engine::Profile::kHf);
    request.beam_size = 4;
    request.max_output_tokens = kLimit;
    return Run(type, request, nullptr);
  }

  // Returns the hypotheses with these tokens as prefixes, and so their scores, in a compute type.
  std::vector<engine::DecodedHypothesis> Follow(
      kernels::ComputeType type, const std::vector<engine::DecodedHypothesis>& found) {
    engine::DecodingOptions request = WideOptions(engine::Profile::kHf);
    request.beam_size = 1;
    request.max_output_tokens = kLimit;
    return Run(type, request, &found);
  }

 private:
  void ReadSources(const engine::ResolvedPair& pair) {
    const engine::LoadedModel& loaded = *model_.loaded;
    const auto tokenizer = ExpectOk(engine::MakeTokenizer(loaded));
    if (!tokenizer.ok()) return;
    for (const std::string& text : Texts()) {
      std::vector<int32_t> ids = (*tokenizer)->EncodePrompt(pair.prompt);
      for (const int id : (*tokenizer)->EncodeSource(text, {pair.tag, pair.last_tag}).ids)
        ids.push_back(id);
      sources_.push_back(std::move(ids));
    }
  }

  std::vector<engine::DecodedHypothesis> Run(
      kernels::ComputeType type, const engine::DecodingOptions& request,
      const std::vector<engine::DecodedHypothesis>* prefixes) {
    auto made = ExpectOk(
        networks_.size() > 1
            ? engine::CreateCpuEnsemble(networks_, kernels::MeanKind::kProbability, type, 1)
            : engine::CreateCpuModel(networks_[0].program, *networks_[0].weights, type));
    if (!made.ok()) return {};
    model_.ensemble = *std::move(made);
    engine::SearchContext context;
    context.max_rows = 64;
    context.scores = true;
    auto settings = ExpectOk(engine::ResolveSearch(request, model_.spec(), context));
    if (first_) settings->forced_bos = first_;
    if (start_) settings->search.start_token = *start_;
    std::vector<std::unique_ptr<engine::Segment>> segments;
    for (size_t i = 0; i < sources_.size(); ++i) {
      segments.push_back(MakeSegment(*settings, sources_[i]));
      if (prefixes != nullptr) segments.back()->prefix = (*prefixes)[i].tokens;
    }
    std::vector<engine::DecodedHypothesis> best;
    for (auto& nbest : Decode(model_, std::move(segments), model_.spec().tokens.decoder_start)) {
      best.push_back(nbest.empty() ? engine::DecodedHypothesis{} : std::move(nbest.front()));
    }
    return best;
  }

  ParityModel model_;
  std::vector<engine::EnsembleNetwork> networks_;
  std::optional<int> first_;
  std::optional<int> start_;
  std::vector<std::vector<int32_t>> sources_;
};

struct Agreement {
  int equal = 0;    // equal best translations
  double mean = 0;  // mean difference of a token's log-probability
  double largest = 0;
};

Agreement Compare(Model& model, const std::vector<engine::DecodedHypothesis>& exact,
                  kernels::ComputeType type) {
  Agreement agreement;
  const std::vector<engine::DecodedHypothesis> found = model.Search(type);
  const std::vector<engine::DecodedHypothesis> expected =
      model.Follow(kernels::ComputeType::kFloat32, exact);
  const std::vector<engine::DecodedHypothesis> followed = model.Follow(type, exact);
  size_t tokens = 0;
  for (size_t i = 0; i < kTexts; ++i) {
    agreement.equal += found[i].tokens == exact[i].tokens ? 1 : 0;
    for (size_t t = model.has_first_token() ? 1 : 0; t < exact[i].tokens.size(); ++t) {
      EXPECT_EQ(followed[i].tokens.at(t), exact[i].tokens[t]);
      const double difference = std::abs(double{followed[i].token_log_probs.at(t)} -
                                         double{expected[i].token_log_probs.at(t)});
      agreement.mean += difference;
      agreement.largest = std::max(agreement.largest, difference);
      ++tokens;
    }
  }
  EXPECT_GT(tokens, 2 * kTexts);
  agreement.mean /= static_cast<double>(tokens);
  return agreement;
}

class ComputeTypes : public ::testing::TestWithParam<Family> {};

TEST_P(ComputeTypes, AreNearFloat32) {
  Model model(GetParam());
  ASSERT_TRUE(model.ok());
  const std::vector<engine::DecodedHypothesis> exact = model.Search(kernels::ComputeType::kFloat32);
  const Agreement bf16 = Compare(model, exact, kernels::ComputeType::kBFloat16);
  const Agreement int8 = Compare(model, exact, kernels::ComputeType::kInt8);
  char line[256];
  std::snprintf(line, sizeof line, "| %s | %d | %.4f | %.3f | %d | %.4f | %.3f |\n",
                GetParam().name, bf16.equal, bf16.mean, bf16.largest, int8.equal, int8.mean,
                int8.largest);
  std::cout << line;
  // A type that computes something wrong would differ by whole units.
  EXPECT_LT(bf16.mean, GetParam().is_trained ? 0.01 : 0.25);
  EXPECT_LT(int8.mean, GetParam().is_trained ? 0.05 : 0.8);
}

std::vector<Family> WithATrainedOne() {
  std::vector<Family> families = AllFamilies();
  // A family with another tokenizer has the network of the family above it.
  std::erase_if(families, [](const Family& one) { return *one.replaced != '\0'; });
  Family trained = {"MarianMT, the bundled model (trained)", {"../../../deploy/models/de-en"}};
  trained.is_trained = true;
  families.push_back(std::move(trained));
  return families;
}

INSTANTIATE_TEST_SUITE_P(Families, ComputeTypes, ::testing::ValuesIn(WithATrainedOne()),
                         FamilyName);

}  // namespace
}  // namespace dragoman::parity
