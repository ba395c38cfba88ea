#include "server/call/response_builder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "server/base/steady_clock.h"
#include "server/call/request_error.h"
#include "server/call/request_parser.h"
#include "server/call/rpc_status.h"

namespace dragoman::server {
namespace {

// The maximum number of language pairs of one model in a list of models. All pairs of ten models
// with 200 languages each exceed 4 MiB, the default limit of gRPC clients.
constexpr size_t kMaxPairsOfModel = 1000;

v1::FinishReason WireReason(kernels::FinishReason reason) {
  switch (reason) {
    case kernels::FinishReason::kEos:
      return v1::EOS;
    case kernels::FinishReason::kLength:
      return v1::LENGTH;
    case kernels::FinishReason::kConstraintsUnmet:
      return v1::CONSTRAINTS_UNMET;
    case kernels::FinishReason::kNoOutput:
      return v1::NO_OUTPUT;
  }
  return v1::FINISH_REASON_UNSPECIFIED;
}

v1::Warning::Code WireWarning(engine::WarningCode code) {
  switch (code) {
    case engine::WarningCode::kOutputLimit:
      return v1::Warning::OUTPUT_LIMIT;
    case engine::WarningCode::kBeamTooNarrow:
      return v1::Warning::BEAM_TOO_NARROW;
    case engine::WarningCode::kNotTranslated:
      return v1::Warning::NOT_TRANSLATED;
    case engine::WarningCode::kUnknownCharacters:
      return v1::Warning::UNKNOWN_CHARACTERS;
    case engine::WarningCode::kPlaceholderLost:
      return v1::Warning::PLACEHOLDER_LOST;
    case engine::WarningCode::kSuspicious:
      return v1::Warning::SUSPICIOUS;
  }
  return v1::Warning::CODE_UNSPECIFIED;
}

void FillTokens(engine::Hypothesis* hypothesis, const engine::ReturnOptions& returns,
                v1::Tokens* out) {
  if (returns.tokens) {
    for (auto& token : hypothesis->tokens) *out->add_target() = std::move(token);
  }
  if (returns.token_scores) {
    out->mutable_target_scores()->Assign(hypothesis->token_scores.begin(),
                                         hypothesis->token_scores.end());
  }
}

void FillPivot(engine::PivotPart* pivot, const engine::ReturnOptions& returns, v1::PivotPart* out) {
  out->set_first_model(std::move(pivot->first_model));
  out->set_second_model(std::move(pivot->second_model));
  out->set_language_code(std::move(pivot->language));
  out->set_text(std::move(pivot->text));
  out->set_finish_reason(WireReason(pivot->finish_reason));
  if (returns.scores && pivot->first_one_segment) out->set_score(pivot->score);
  if (returns.scores) out->set_log_prob(pivot->log_prob);
}

void FillAlignment(const engine::Hypothesis& hypothesis, v1::Alignment* out) {
  for (const engine::AlignmentLink& link : hypothesis.alignment) {
    v1::Alignment::Link* added = out->add_links();
    added->set_source_begin(link.source.begin);
    added->set_source_end(link.source.end);
    added->set_target_begin(link.target.begin);
    added->set_target_end(link.target.end);
  }
}

void FillPair(const engine::LanguagePair& pair, v1::LanguagePair* out) {
  out->set_source_language_code(pair.source);
  out->set_target_language_code(pair.target);
}

}  // namespace

v1::Translation BuildTranslation(engine::ItemResult result, const engine::ReturnOptions& returns,
                                 const std::string& model) {
  v1::Translation out;
  out.set_index(result.index);
  out.set_model(model);
  if (!result.status.ok()) {
    *out.mutable_error() = ToRpcStatus(WithFieldViolation(std::move(result.status)));
    return out;
  }
  // Scores are returned for items of one segment only: a score ranks the n-best of a segment, and a
  // sum over several segments ranks nothing.
  const bool one_segment =
      result.pivot ? result.pivot->second_one_segment : result.sentences.size() == 1;
  const bool want_tokens = returns.tokens || returns.token_scores;
  for (size_t rank = 0; rank < result.hypotheses.size(); ++rank) {
    engine::Hypothesis& hypothesis = result.hypotheses[rank];
    if (rank == 0) {
      if (returns.alignment) FillAlignment(hypothesis, out.mutable_alignment());
      out.set_translated_text(std::move(hypothesis.text));
      out.set_finish_reason(WireReason(hypothesis.finish_reason));
      if (returns.scores && one_segment) out.set_score(hypothesis.score);
      if (returns.scores) out.set_log_prob(hypothesis.log_prob);
      if (want_tokens) FillTokens(&hypothesis, returns, out.mutable_tokens());
      continue;
    }
    v1::Alternative* alternative = out.add_alternatives();
    alternative->set_text(std::move(hypothesis.text));
    alternative->set_finish_reason(WireReason(hypothesis.finish_reason));
    if (returns.scores && one_segment) alternative->set_score(hypothesis.score);
    if (returns.scores) alternative->set_log_prob(hypothesis.log_prob);
    if (want_tokens) FillTokens(&hypothesis, returns, alternative->mutable_tokens());
  }
  if (result.seed.has_value()) out.set_seed(*result.seed);
  if (result.pivot.has_value()) FillPivot(&*result.pivot, returns, out.mutable_pivot());
  if (returns.tokens) {
    for (auto& token : result.source_tokens) {
      *out.mutable_tokens()->add_source() = std::move(token);
    }
  }
  for (engine::Warning& warning : result.warnings) {
    v1::Warning* added = out.add_warnings();
    added->set_code(WireWarning(warning.code));
    added->set_text(std::move(warning.text));
  }
  for (std::string& placeholder : result.preserved) *out.add_preserved() = std::move(placeholder);
  for (const engine::SentenceRange& sentence : result.sentences) {
    v1::SentenceRange* range = out.add_sentences();
    range->set_source_begin(sentence.source.begin);
    range->set_source_end(sentence.source.end);
    range->set_target_begin(sentence.target.begin);
    range->set_target_end(sentence.target.end);
  }
  return out;
}

v1::PairScore BuildPairScore(v1::Translation scored) {
  v1::PairScore out;
  out.set_index(scored.index());
  if (scored.has_error()) {
    *out.mutable_error() = std::move(*scored.mutable_error());
    return out;
  }
  out.set_score(scored.score());
  out.set_log_prob(scored.log_prob());
  out.mutable_token_scores()->Swap(scored.mutable_tokens()->mutable_target_scores());
  out.mutable_tokens()->Swap(scored.mutable_tokens()->mutable_target());
  return out;
}

v1::Timings BuildTimings(const engine::JobTimings& timings) {
  v1::Timings out;
  out.set_tokenize(timings.tokenize);
  out.set_queue(timings.queue);
  out.set_encode(timings.encode);
  out.set_slot_wait(timings.slot_wait);
  out.set_decode(timings.decode);
  out.set_detokenize(timings.detokenize);
  out.set_total(timings.total);
  return out;
}

v1::StreamTranslateResponse BuildSegment(engine::SegmentUpdate update) {
  v1::StreamTranslateResponse out;
  out.set_item(update.item);
  out.set_segment(update.segment);
  out.set_source_begin(update.source.begin);
  out.set_source_end(update.source.end);
  out.set_text(std::move(update.text));
  out.set_final(update.final);
  return out;
}

v1::Model BuildModel(const ServedModel& model, bool is_default) {
  const engine::ModelInfo& info = model.engine->info();
  v1::Model out;
  out.set_name(model.name);
  out.set_state(v1::Model::SERVING);
  out.set_is_default(is_default);
  out.set_family(info.family);
  out.set_device(info.device);
  out.set_compute_type(info.compute_type);
  for (size_t i = 0; i < std::min(kMaxPairsOfModel, info.pairs.size()); ++i) {
    FillPair(info.pairs[i], out.add_pairs());
  }
  out.set_pair_count(static_cast<int32_t>(info.pairs.size()));
  out.set_source_vocabulary(info.source_vocabulary);
  out.set_target_vocabulary(info.target_vocabulary);
  out.set_parameters(info.parameters);
  out.set_max_source_tokens(info.max_source_tokens);
  out.set_max_target_tokens(info.max_target_tokens);
  out.set_max_rows(info.max_rows);
  out.set_max_beam(info.max_beam);
  out.set_default_beam(info.default_beam);
  out.set_decoder_layers(info.decoder_layers);
  out.set_decoder_heads(info.decoder_heads);
  for (const auto& [wire, profile] : kProfilePairs) {
    if (profile == info.default_profile) out.set_default_profile(wire);
  }
  for (const std::string& name : info.glossaries) out.add_glossaries(name);
  for (const std::string& note : info.notes) out.add_notes(note);
  out.mutable_loaded_at()->set_seconds(model.loaded_at);
  for (const ModelPtr& leg : model.legs) out.add_pivot(leg->name);
  if (model.is_pivot()) return out;
  out.set_version(model.version);
  out.set_checksum(model.checksum);
  out.mutable_load_duration()->set_seconds(model.load_duration / kNanosPerSecond);
  out.mutable_load_duration()->set_nanos(
      static_cast<int32_t>(model.load_duration % kNanosPerSecond));
  for (const engine::DeviceMemory& memory : model.engine->Stats().memory) {
    v1::DeviceMemory* held = out.add_memory();
    held->set_device(memory.device);
    held->set_weights(memory.weights);
    held->set_kv(memory.kv);
    held->set_workspace(memory.workspace);
    held->set_kv_resident(memory.kv_resident);
  }
  return out;
}

v1::ListModelsResponse BuildModels(const std::vector<ModelTable::Entry>& entries) {
  v1::ListModelsResponse out;
  for (const ModelTable::Entry& entry : entries) {
    const bool is_default = out.models().empty() && entry.model != nullptr;
    v1::Model* const model = out.add_models();
    if (entry.model != nullptr) {
      *model = BuildModel(*entry.model, is_default);
      continue;
    }
    model->set_name(entry.name);
    model->set_state(entry.state == ModelState::kDraining  ? v1::Model::DRAINING
                     : entry.state == ModelState::kLoading ? v1::Model::LOADING
                                                           : v1::Model::FAILED);
    if (entry.version > 0) model->set_version(entry.version);
  }
  return out;
}

v1::ListLanguagesResponse BuildLanguages(const std::vector<ModelPtr>& models) {
  v1::ListLanguagesResponse out;
  struct Support {
    bool source = false;
    bool target = false;
  };
  std::map<std::string, Support> languages;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const ModelPtr& model : models) {
    for (const engine::LanguagePair& pair : model->engine->info().pairs) {
      if (!seen.emplace(pair.source, pair.target).second) continue;
      if (!pair.source.empty()) languages[pair.source].source = true;
      if (!pair.target.empty()) languages[pair.target].target = true;
      FillPair(pair, out.add_pairs());
    }
  }
  for (const auto& [code, support] : languages) {
    v1::Language* language = out.add_languages();
    language->set_language_code(code);
    language->set_support_source(support.source);
    language->set_support_target(support.target);
  }
  return out;
}

void ItemOutcomes::Add(const absl::Status& status) {
  if (!first_.has_value()) {
    first_ = status;
  } else if (status.code() != first_->code()) {
    alike_ = false;
  }
}

absl::Status ItemOutcomes::CallStatus() const {
  return first_.has_value() && alike_ ? *first_ : absl::OkStatus();
}

}  // namespace dragoman::server
