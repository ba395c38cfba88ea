// State that all parts of search_bench share: the model, its tokenizer, and texts from a file.
//
// Immutable after construction. The parts run in one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/decode/phrase_tables.h"
#include "engine/decode/step_model.h"
#include "engine/model/layouts/model_source.h"
#include "engine/request/model_tokenizer.h"
#include "engine/request/search_settings.h"
#include "engine/text/tokenizer.h"
#include "kernels/base/compute_type.h"
#include "tests/bench/search/seeded_members.h"

namespace dragoman::bench {

// Returns a number in [0, n), the same on every platform for a seed. REQUIRES: n > 0.
inline size_t Draw(std::mt19937_64& generator, size_t n) { return generator() % n; }

// Returns a file's non-empty lines, each up to its first tab. Ends the program if there are none.
std::vector<std::string> ReadLines(const std::string& path);

// Returns `count` texts of low to high lines each, drawn with `seed` and joined by spaces.
std::vector<std::string> JoinLines(const std::vector<std::string>& lines, size_t count, int low,
                                   int high, uint64_t seed);

// A text that is decoded as one segment.
struct Task {
  std::vector<int32_t> source;  // with EOS
  kernels::SearchOptions search;
  std::vector<std::vector<int32_t>> phrases;                          // required
  std::shared_ptr<const engine::ForbiddenTable> forbidden = nullptr;  // of the profile
  bool partials = false;                                              // requested and dropped
};

class BenchModel {
 public:
  // `type` is the type of the model on the CPU; weights() always have the type of the files.
  // Members of an ensemble are averaged by probability, as in fairseq. Ends the program with the
  // loader's message if the model cannot be used.
  explicit BenchModel(const std::string& directory,
                      kernels::ComputeType type = kernels::ComputeType::kFloat32,
                      const MemberOptions& members = {});

  const engine::ModelSpec& spec() const { return loaded_.spec; }
  const engine::Program& program() const { return loaded_.program; }
  const engine::Weights& weights() const { return *loaded_.weights; }
  int members() const { return members_; }
  const engine::StepModel& model() const { return *model_; }
  std::shared_ptr<const engine::StepModel> shared_model() const { return model_; }
  const engine::Tokenizer& tokenizer() const { return *tokenizer_; }

  // Target ids that a caller may require: all except special ids and ids without text.
  const std::vector<int32_t>& ordinary_ids() const { return ordinary_; }

  std::vector<std::vector<int32_t>> Encode(const std::vector<std::string>& texts) const;

  // Resolves options as the server does, without required phrases. Ends the program on refusal.
  std::vector<Task> Tasks(const std::vector<std::vector<int32_t>>& sources,
                          const engine::DecodingOptions& asked) const;
  // Returns a task with these phrases; without phrases it is unconstrained.
  Task MakeTask(const std::vector<int32_t>& source, const engine::DecodingOptions& asked,
                std::vector<std::vector<int32_t>> phrases) const;

 private:
  engine::SearchSettings Resolve(const engine::DecodingOptions& asked, bool constrained) const;

  engine::LoadedModel loaded_;
  const int members_;
  std::shared_ptr<const engine::StepModel> model_;
  std::unique_ptr<engine::Tokenizer> tokenizer_;
  std::vector<int32_t> ordinary_;
};

}  // namespace dragoman::bench
