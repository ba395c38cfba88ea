#include "tests/engine/support/mixed_requests.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"

namespace dragoman::testing {
namespace {

std::vector<std::string> Lines() {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> LinesWithBlanks() {
  std::vector<std::string> lines = Lines();
  std::erase_if(lines, [](const std::string& line) { return line.find(' ') == line.npos; });
  return lines;
}

}  // namespace

std::vector<engine::TranslationJob> SentenceJobs(size_t count, const std::vector<int>& beams) {
  std::vector<engine::TranslationJob> jobs;
  for (const std::string& line : Lines()) {
    if (jobs.size() == count) break;
    engine::TranslationJob job;
    job.contents = {line};
    job.split = engine::SplitMode::kNone;
    job.decoding.beam_size = beams[jobs.size() % beams.size()];
    job.decoding.num_alternatives = job.decoding.beam_size;
    job.returns.scores = job.returns.tokens = job.returns.token_scores = true;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

size_t SentencesAskedFor(size_t otherwise) {
  const char* const wish = std::getenv("DRAGOMAN_TEST_SENTENCES");
  if (wish == nullptr) return otherwise;
  int count = 0;
  EXPECT_TRUE(absl::SimpleAtoi(wish, &count) && count > 0 && count <= 500)
      << "DRAGOMAN_TEST_SENTENCES is '" << wish << "', expected 1 to 500";
  return static_cast<size_t>(count);
}

MixedRequests::MixedRequests(unsigned seed) : random_(seed), sentences_(LinesWithBlanks()) {}

engine::TranslationJob MixedRequests::Next(int* kind) {
  *kind = Below(kKinds);
  engine::TranslationJob job;
  job.contents = {sentences_[static_cast<size_t>(Below(static_cast<int>(sentences_.size())))]};
  job.split = engine::SplitMode::kNone;
  job.returns.scores = job.returns.tokens = job.returns.token_scores = true;
  engine::DecodingOptions& o = job.decoding;
  o.beam_size = 1 + Below(8);
  switch (*kind) {
    case 0:  // greedy, no scores: the normaliser is not computed
      o.beam_size = 1;
      job.returns.scores = job.returns.token_scores = false;
      break;
    case 1:
      o.num_alternatives = o.beam_size;
      break;
    case 2:
      o.profile = engine::Profile::kPaper;
      o.beam_size = 12;
      o.pruning.absolute_delta = 1.5F;
      o.pruning.max_candidates = 5;
      o.num_alternatives = 12;
      break;
    case 3:
      o.profile = engine::Profile::kArticle;
      o.length_penalty = 0.6F;
      o.temperature = 1.25F;
      o.eos_penalty = 0.8F;
      break;
    case 4:
      o.required_phrases.push_back({Pick({"at the moment", "however", "my dear friend"}), false});
      if (Below(2) == 0) o.required_phrases.push_back({Pick({"today.", "I think."}), true});
      o.constraint_allocation =
          Below(2) == 0 ? kernels::Allocation::kStripe : kernels::Allocation::kBanks;
      break;
    case 5:
      o.forbidden_phrases = {"the", "I", "is a", "have to"};
      o.no_repeat_ngram = 2;
      break;
    case 6:
      o.sampling = engine::Sampling{};
      o.sampling->seed = static_cast<uint64_t>(Below(1000));
      o.sampling->top_k = Below(2) * 20;
      o.sampling->top_p = Below(2) == 0 ? 0.9F : 1.0F;
      o.temperature = 0.8F;
      o.beam_size.reset();
      o.num_alternatives = 1 + Below(4);
      break;
    case 7:
      o.repetition_penalty = 1.3F;
      break;
    case 8:
      job.target_prefixes = {Pick({"Well,", "I think that", "The"})};
      o.min_output_tokens = 8;
      break;
    case 9:
      job.contents[0].insert(job.contents[0].find(' '), " 😀");
      job.do_not_translate = {"😀"};
      job.terms = {{"und", "and also", false}, {"nicht", "never", true}};
      if (o.beam_size < 5) o.term_placement = engine::TermPlacement::kAligned;
      break;
    case 10: {
      const size_t space = job.contents[0].find(' ');
      job.contents[0] = "<p><b>" + job.contents[0].substr(0, space) + "</b>" +
                        job.contents[0].substr(space) + "</p>";
      job.format = engine::TextFormat::kHtml;
      break;
    }
    case 11:
      o.profile = Below(2) == 0 ? engine::Profile::kCt2 : engine::Profile::kMarian;
      o.num_alternatives = o.beam_size;
      break;
    case 12:
      o.stop_rule = Pick(
          {kernels::StopRule::kFirstK, kernels::StopRule::kNever, kernels::StopRule::kAllBeams});
      o.forced_eos =
          Pick({kernels::ForcedEos::kModel, kernels::ForcedEos::kZero, kernels::ForcedEos::kNone});
      o.length_penalty = 1.4F;
      o.max_output_tokens = 10;
      break;
    default:
      job.returns.alignment = true;
      o.finalisation = kernels::Finalisation::kOnBeam;
      o.pruning.relative = 0.05F;
      break;
  }
  return job;
}

std::vector<engine::TranslationJob> MixedJobs(size_t count, unsigned seed) {
  MixedRequests requests(seed);
  std::vector<engine::TranslationJob> jobs;
  int kind = 0;
  for (size_t i = 0; i < count; ++i) jobs.push_back(requests.Next(&kind));
  return jobs;
}

}  // namespace dragoman::testing
