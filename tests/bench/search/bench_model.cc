#include "tests/bench/search/bench_model.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>

#include "engine/decode/cpu_model.h"
#include "engine/decode/ensemble_model.h"
#include "engine/decode/phrase_tables.h"
#include "tests/bench/search/or_end.h"

namespace dragoman::bench {

std::vector<std::string> ReadLines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(file, line)) {
    line.resize(std::min(line.size(), line.find('\t')));
    if (!line.empty()) lines.push_back(line);
  }
  if (!lines.empty()) return lines;
  std::cerr << "search_bench: no lines in " << path << "\n";
  std::exit(2);
}

std::vector<std::string> JoinLines(const std::vector<std::string>& lines, size_t count, int low,
                                   int high, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    const size_t parts =
        static_cast<size_t>(low) + Draw(generator, static_cast<size_t>(high - low) + 1);
    for (size_t i = 0; i < parts; ++i) {
      if (i > 0) text += ' ';
      text += lines[Draw(generator, lines.size())];
    }
  }
  return texts;
}

BenchModel::BenchModel(const std::string& directory, kernels::ComputeType type,
                       const MemberOptions& members)
    : loaded_(OrEnd(engine::LoadModel(directory))), members_(members.count) {
  if (members.AreTheModel()) {
    model_ = OrEnd(engine::CreateCpuModel(loaded_.program, *loaded_.weights, type));
  } else {
    model_ = OrEnd(engine::CreateCpuEnsemble(OrEnd(SeededMembers(loaded_, members)),
                                             kernels::MeanKind::kProbability, type, 1));
  }
  const engine::SpecialIds& ids = loaded_.spec.tokens;
  engine::SpecialTokens special{.eos = ids.eos, .unk = ids.unk, .pad = ids.pad};
  special.ends_source = loaded_.tokenizer.ends_source;
  if (loaded_.own_target_vocabulary.has_value()) {
    special.source_eos = loaded_.tokenizer.source_eos;
    special.source_unk = loaded_.tokenizer.source_unk;
    special.source_more = loaded_.tokenizer.source_special;
  }
  tokenizer_ = OrEnd(
      engine::Tokenizer::Create({loaded_.tokenizer.source_spm, loaded_.tokenizer.target_spm},
                                &loaded_.source_vocabulary, &loaded_.TargetVocabulary(), special));
  for (int id = 0; id < loaded_.TargetVocabulary().size(); ++id) {
    if (!tokenizer_->IsSpecial(id) && !loaded_.TargetVocabulary().PieceOf(id).empty()) {
      ordinary_.push_back(id);
    }
  }
}

std::vector<std::vector<int32_t>> BenchModel::Encode(const std::vector<std::string>& texts) const {
  std::vector<std::vector<int32_t>> sources;
  for (const std::string& text : texts) {
    const engine::EncodedText encoded = tokenizer_->EncodeSource(text);
    sources.emplace_back(encoded.ids.begin(), encoded.ids.end());
  }
  return sources;
}

engine::SearchSettings BenchModel::Resolve(const engine::DecodingOptions& asked,
                                           bool constrained) const {
  engine::SearchContext context;
  context.max_rows = kernels::kMaxBeam;
  context.scores = true;
  if (constrained) context.constraints = "decoding.required_phrases";
  return OrEnd(engine::ResolveSearch(asked, loaded_.spec, context));
}

Task BenchModel::MakeTask(const std::vector<int32_t>& source, const engine::DecodingOptions& asked,
                          std::vector<std::vector<int32_t>> phrases) const {
  const bool constrained = !phrases.empty();
  const engine::SearchSettings settings = Resolve(asked, constrained);
  Task task;
  task.source = source;
  task.search =
      engine::SearchForSegment(settings, static_cast<int>(source.size()) - 1, constrained, 0);
  task.phrases = std::move(phrases);
  task.forbidden =
      std::make_shared<const engine::ForbiddenTable>(settings.forbidden, settings.excluded);
  return task;
}

std::vector<Task> BenchModel::Tasks(const std::vector<std::vector<int32_t>>& sources,
                                    const engine::DecodingOptions& asked) const {
  std::vector<Task> tasks;
  tasks.reserve(sources.size());
  for (const std::vector<int32_t>& source : sources) tasks.push_back(MakeTask(source, asked, {}));
  return tasks;
}

}  // namespace dragoman::bench
