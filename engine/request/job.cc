#include "engine/request/job.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "engine/request/alignment.h"
#include "engine/text/guard.h"
#include "engine/text/script.h"

namespace dragoman::engine {
namespace {

// The value of Job::ended_ after EndWith.
constexpr int kEndedOtherwise = 100;

absl::Status StatusOf(CancelCause cause) {
  switch (cause) {
    case CancelCause::kClient:
      return absl::CancelledError("the call was cancelled");
    case CancelCause::kDeadline:
      return absl::DeadlineExceededError("the deadline passed before the translation was done");
    case CancelCause::kRevoked:
      return absl::UnauthenticatedError("the client may not call any more");
    case CancelCause::kDrain:
      break;
  }
  return absl::UnavailableError("the server stopped before the translation was done");
}

// Reports whether a hypothesis lacks phrases of the plan.
bool LacksPhrases(const SegmentPlan& plan, const DecodedHypothesis& h) {
  if (h.reason == kernels::FinishReason::kConstraintsUnmet) return true;
  if (plan.expected.empty()) return false;
  std::vector<int32_t> tokens = h.tokens;
  if (h.token_log_probs.size() > tokens.size()) tokens.push_back(plan.search.eos);
  const kernels::ConstraintSet set = plan.expected.set();
  return TracePhrases(set, tokens, false).places.size() < static_cast<size_t>(set.phrases);
}

Outcome OutcomeOfHypotheses(const std::vector<DecodedHypothesis>& hypotheses) {
  return OutcomeOf(hypotheses.empty() ? kernels::FinishReason::kNoOutput
                                      : hypotheses.front().reason);
}

}  // namespace

Job::Job(JobId id, TranslationJob request, const SearchSettings& settings, Languages languages,
         RequestQueue::Reservation reservation, std::shared_ptr<TranslationSink> sink,
         const JobServices* services)
    : id_(id),
      request_(std::move(request)),
      settings_(settings),
      languages_(std::move(languages)),
      reservation_(reservation),
      services_(services),
      started_(services->clock->Now()),
      items_remaining_(request_.contents.size()),
      sink_(std::move(sink)) {}

std::optional<CancelCause> Job::abandoned() const {
  const int ended = ended_.load(std::memory_order_acquire);
  if (ended < 0) return std::nullopt;
  return ended == kEndedOtherwise ? CancelCause::kDrain : static_cast<CancelCause>(ended);
}

std::unique_ptr<Segment> Job::MakeSegment(int item, int index) {
  SegmentPlan& plan = PlanOf(item, index);
  auto segment = std::make_unique<Segment>();
  segment->owner = shared_from_this();
  segment->item = item;
  segment->index = index;
  segment->source = plan.source;
  TakeSearch(&plan, segment.get());
  // A segment with sentinels shows no partials, because a second search may replace its
  // translation.
  segment->wants_partials = request_.returns.partials && plan.target_text.writes_prefixes();
  segment->priority = request_.priority;
  segment->client = ClientNumber(request_.client);
  segment->share = request_.share;
  segment->deadline = request_.deadline;
  return segment;
}

void Job::TakeSearch(SegmentPlan* plan, Segment* segment) {
  const kernels::SearchOptions& next = plan->search;
  const kernels::SearchOptions& last = segment->search;
  if (segment->divisor.empty() || next.max_tokens != last.max_tokens ||
      next.length_penalty != last.length_penalty || next.penalty != last.penalty) {
    segment->divisor = LengthDivisors(next.max_tokens, next.length_penalty, next.penalty);
  }
  segment->search = next;
  segment->prefix = std::move(plan->prefix);
  segment->words = std::move(plan->words);
  segment->constraints = std::move(plan->constraints);
  segment->forbidden = std::move(plan->forbidden);
  segment->source_ids = std::move(plan->source_ids);
}

std::vector<std::unique_ptr<Segment>> Job::Begin(std::vector<ItemPlan> plans, Nanos tokenize_time) {
  plans_ = std::move(plans);
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<int> empty;
  {
    MutexLock lock(&mu_);
    timings_.tokenize = tokenize_time;
    timings_.tokenized = services_->clock->Now();
    items_.resize(plans_.size());
    for (size_t i = 0; i < plans_.size(); ++i) {
      Item& item = items_[i];
      item.status = plans_[i].status;
      item.segments.resize(plans_[i].segments.size());
      item.remaining = item.segments.size();
      if (item.remaining == 0) empty.push_back(static_cast<int>(i));
      for (size_t s = 0; s < item.segments.size(); ++s) {
        segments.push_back(MakeSegment(static_cast<int>(i), static_cast<int>(s)));
      }
    }
  }
  for (const int item : empty) FinishItem(item);
  Drain();
  return segments;
}

bool Job::End(CancelCause cause) {
  int going_on = -1;
  if (!ended_.compare_exchange_strong(going_on, static_cast<int>(cause))) return false;
  bool ended = false;
  {
    MutexLock lock(&mu_);
    ended = !done_;
    AppendDone(StatusOf(cause));
  }
  Drain();
  return ended;
}

bool Job::EndWith(const absl::Status& status) {
  int going_on = -1;
  if (!ended_.compare_exchange_strong(going_on, kEndedOtherwise)) return false;
  {
    MutexLock lock(&mu_);
    AppendDone(status);
  }
  Drain();
  return true;
}

void Job::OnPartial(const Segment& segment, std::span<const int32_t> tokens) {
  {
    MutexLock lock(&mu_);
    SegmentState& state = StateOf(segment.item, segment.index);
    state.partial.assign(tokens.begin(), tokens.end());
    // If a task for a partial is queued already, it will take the newest tokens.
    if (state.partial_queued || done_) return;
    state.partial_queued = true;
  }
  PostPartial(segment.item, segment.index);
}

void Job::PostPartial(int item, int index) {
  services_->detokenizers->Post(
      [self = shared_from_this(), item, index] { self->DetokenizePartial(item, index); });
}

void Job::DetokenizePartial(int item, int index) {
  std::vector<int32_t> tokens;
  {
    MutexLock lock(&mu_);
    tokens = std::move(StateOf(item, index).partial);
    StateOf(item, index).partial.clear();
  }
  std::string text = PlanOf(item, index).target_text.WritePrefix(tokens);
  bool again = false;
  {
    MutexLock lock(&mu_);
    SegmentState& state = StateOf(item, index);
    if (text.size() > state.shown.size() && !state.done) {
      state.shown = std::move(text);
      AppendUpdate(item, index, state.shown, false);
    }
    again = !state.partial.empty() && !state.done && !done_;
    state.partial_queued = again;
  }
  if (again) PostPartial(item, index);
  Drain();
}

void Job::AppendUpdate(int item, int index, const std::string& text, bool final) {
  const TextRange& range = PlanOf(item, index).range;
  SegmentUpdate update{item, index, {range.begin, range.end}, text, final};
  Append([update = std::move(update)](TranslationSink& sink) mutable {
    sink.OnSegment(std::move(update));
  });
}

void Job::OnDecoded(std::unique_ptr<Segment> segment, std::vector<DecodedHypothesis> hypotheses) {
  // Shared pointers, because a std::function must be copyable.
  auto held = std::make_shared<std::unique_ptr<Segment>>(std::move(segment));
  auto results = std::make_shared<std::vector<DecodedHypothesis>>(std::move(hypotheses));
  services_->detokenizers->Post([self = shared_from_this(), held, results] {
    self->DetokenizeFinal(std::move(*held), std::move(*results));
  });
}

SegmentHypothesis Job::ToHypothesis(const SegmentPlan& plan,
                                    const DecodedHypothesis& decoded) const {
  SegmentHypothesis out;
  const bool with_eos = decoded.token_log_probs.size() > decoded.tokens.size();
  WrittenText written = plan.target_text.Write(decoded.tokens, with_eos);
  if (settings_.search.align)
    out.aligned = AlignTokens(written, decoded.aligned, plan.source_places);
  Hypothesis& h = out.hypothesis;
  out.lost_unknown = written.lost_unknown;
  out.lost = written.lost_phrases + written.lost_placeholders + written.lost_unknown;
  h.score = decoded.score;
  h.log_prob = decoded.log_prob;
  h.finish_reason = decoded.reason;
  if (written.lost_phrases > 0) {
    h.finish_reason = std::max(h.finish_reason, kernels::FinishReason::kConstraintsUnmet);
  }
  // The tokens of a sentinel are returned as one token: the text that the sentinel stands for.
  auto sentinel = written.sentinels.begin();
  for (size_t i = 0; i < decoded.token_log_probs.size(); ++i) {
    while (sentinel != written.sentinels.end() && sentinel->end <= i) ++sentinel;
    const bool in_sentinel = sentinel != written.sentinels.end() && sentinel->begin <= i;
    if (in_sentinel && sentinel->begin < i) {
      if (request_.returns.token_scores) h.token_scores.back() += decoded.token_log_probs[i];
      continue;
    }
    if (request_.returns.token_scores) h.token_scores.push_back(decoded.token_log_probs[i]);
    if (!request_.returns.tokens || i >= decoded.tokens.size()) continue;
    h.tokens.push_back(in_sentinel ? std::string(written.decoded.ranges[i].In(written.decoded.text))
                                   : services_->target_piece(decoded.tokens[i]));
  }
  h.text = std::move(written.decoded.text);
  return out;
}

void Job::DetokenizeFinal(std::unique_ptr<Segment> segment,
                          std::vector<DecodedHypothesis> hypotheses) {
  if (const std::optional<CancelCause> cause = abandoned()) {
    // The job ended while the segment waited for a detokenizer.
    const int64_t wasted =
        hypotheses.empty() ? 0 : static_cast<int64_t>(hypotheses.front().tokens.size());
    Drop(std::move(segment), Stage::kDetokenize, wasted, services_->accounting);
    return;
  }
  const Nanos begun = services_->clock->Now();
  const SegmentPlan& plan = PlanOf(segment->item, segment->index);
  std::vector<SegmentHypothesis> texts;
  texts.reserve(hypotheses.size());
  for (const DecodedHypothesis& h : hypotheses) texts.push_back(ToHypothesis(plan, h));
  const auto has_lost = [](const SegmentHypothesis& h) { return h.lost > 0; };
  if (plan.if_lost != nullptr && std::ranges::any_of(texts, has_lost)) {
    {
      MutexLock lock(&mu_);
      AddTimes(*segment);
    }
    GoToPlan(*segment, &SegmentPlan::if_lost);
    QueueAgain(*segment);
    return;
  }
  if (texts.empty()) {
    texts.emplace_back();
    texts.back().hypothesis.finish_reason = kernels::FinishReason::kNoOutput;
  }
  int64_t target_tokens =
      hypotheses.empty() ? 0 : static_cast<int64_t>(hypotheses.front().token_log_probs.size());
  texts.front().suspicion = Judge(*segment, texts.front());
  if (texts.front().suspicion != Suspicion::kNone) {
    if (plan.safer) {
      Retry(std::move(segment), std::move(texts), target_tokens);
      return;
    }
    // Keeps the first result if the second is no better.
    MutexLock lock(&mu_);
    SegmentState& state = StateOf(segment->item, segment->index);
    if (!state.first.empty()) {
      texts = std::move(state.first);
      target_tokens = state.first_tokens;
    }
  }
  if (texts.front().suspicion != Suspicion::kNone) {
    services_->accounting.observer->OnSuspicious(WordsOf(texts.front().suspicion).name);
  }
  const Nanos now = services_->clock->Now();
  services_->accounting.observer->OnStage(Stage::kDetokenize, now - segment->decoded_at);
  services_->accounting.observer->OnSegmentTranslated(segment->tokens(), target_tokens);
  services_->accounting.ledger->End(segment->running, OutcomeOfHypotheses(hypotheses));
  bool item_done = false;
  {
    MutexLock lock(&mu_);
    AddTimes(*segment);
    timings_.detokenize += now - begun;
    if (timings_.segments.size() < static_cast<size_t>(request_.returns.segment_times)) {
      timings_.segments.push_back({segment->item, segment->index, segment->queued_at,
                                   segment->popped_at, segment->encoded_at, segment->admitted_at,
                                   segment->decoded_at, now});
    }
    target_tokens_ += target_tokens;
    SegmentState& state = StateOf(segment->item, segment->index);
    state.done = true;
    state.hypotheses = std::move(texts);
    state.tokens = target_tokens;
    // Items with markup have no updates, because tags can be placed only when the item is complete.
    if ((request_.returns.partials || request_.returns.segments) &&
        request_.format == TextFormat::kPlain) {
      AppendUpdate(segment->item, segment->index, state.hypotheses.front().hypothesis.text, true);
    }
    item_done = SegmentDone(segment->item);
  }
  if (item_done) FinishItem(segment->item);
  Drain();
}

void Job::AddTimes(const Segment& segment) {
  timings_.queue += segment.popped_at - segment.queued_at;
  timings_.encode += segment.encoded_at - segment.popped_at;
  timings_.slot_wait += segment.admitted_at - segment.encoded_at;
  timings_.decode += segment.decoded_at - segment.admitted_at;
}

void Job::GoToPlan(const Segment& segment, std::unique_ptr<SegmentPlan> SegmentPlan::*next) {
  SegmentPlan& plan = PlanOf(segment.item, segment.index);
  const std::unique_ptr<SegmentPlan> following = std::move(plan.*next);
  if (following->if_lost == nullptr) following->if_lost = std::move(plan.if_lost);
  following->run = plan.run;
  plan = std::move(*following);
}

bool Job::SearchAgain(Segment* segment, std::span<const DecodedHypothesis> found) {
  SegmentPlan& plan = PlanOf(segment->item, segment->index);
  const auto lacks_phrases = [&plan](const DecodedHypothesis& h) { return LacksPhrases(plan, h); };
  if (plan.if_unmet == nullptr || (!found.empty() && std::ranges::none_of(found, lacks_phrases))) {
    return false;
  }
  {
    MutexLock lock(&mu_);
    AddTimes(*segment);
  }
  GoToPlan(*segment, &SegmentPlan::if_unmet);
  TakeSearch(&plan, segment);
  return true;
}

void Job::QueueAgain(const Segment& segment) {
  services_->accounting.observer->OnSegmentSearchedAgain();
  services_->accounting.ledger->Requeue(segment.running);
  std::unique_ptr<Segment> next = MakeSegment(segment.item, segment.index);
  next->again = true;
  services_->search_again(std::move(next));
}

Suspicion Job::Judge(const Segment& segment, const SegmentHypothesis& best) const {
  if (!request_.targets.empty() || request_.guard == Guard::kOff) return Suspicion::kNone;
  const ItemPlan& plan = plans_[static_cast<size_t>(segment.item)];
  const SegmentPlan& own = plan.segments[static_cast<size_t>(segment.index)];
  const std::string& text = plan.markup != nullptr
                                ? plan.markup->text(own.run)
                                : request_.contents[static_cast<size_t>(segment.item)];
  return JudgeTranslation(own.range.In(text), languages_.source, best.hypothesis.text,
                          languages_.target);
}

void Job::Retry(std::unique_ptr<Segment> segment, std::vector<SegmentHypothesis> first,
                int64_t first_tokens) {
  {
    MutexLock lock(&mu_);
    AddTimes(*segment);
    SegmentState& state = StateOf(segment->item, segment->index);
    state.first = std::move(first);
    state.first_tokens = first_tokens;
  }
  SegmentPlan& plan = PlanOf(segment->item, segment->index);
  plan.search = *std::exchange(plan.safer, std::nullopt);
  // MakeSegment moved these out of the plan.
  plan.prefix = std::move(segment->prefix);
  plan.words = std::move(segment->words);
  plan.constraints = std::move(segment->constraints);
  plan.forbidden = std::move(segment->forbidden);
  plan.source_ids = std::move(segment->source_ids);
  QueueAgain(*segment);
}

void Job::OnFailed(std::unique_ptr<Segment> segment, const absl::Status& status) {
  bool item_done = false;
  {
    MutexLock lock(&mu_);
    Item& item = items_[static_cast<size_t>(segment->item)];
    StateOf(segment->item, segment->index).done = true;
    if (item.status.ok()) item.status = status;
    item_done = SegmentDone(segment->item);
  }
  if (item_done) FinishItem(segment->item);
  Drain();
}

bool Job::SegmentDone(int item) { return --items_[static_cast<size_t>(item)].remaining == 0; }

void Job::FinishItem(int index) {
  const ItemPlan& plan = plans_[static_cast<size_t>(index)];
  ItemResult result;
  result.index = index;
  std::vector<std::vector<SegmentHypothesis>> segments;
  {
    MutexLock lock(&mu_);
    Item& item = items_[static_cast<size_t>(index)];
    result.status = item.status;
    for (SegmentState& segment : item.segments) {
      segments.push_back(std::move(segment.hypotheses));
      result.target_token_count += segment.tokens;
    }
  }
  if (result.status.ok()) {
    for (const SegmentPlan& segment : plan.segments) {
      result.source_token_count += static_cast<int64_t>(segment.source.size());
      if (!request_.returns.tokens) continue;
      auto kept = segment.kept.begin();
      for (size_t i = 0; i < segment.source.size(); ++i) {
        while (kept != segment.kept.end() && kept->first.end <= i) ++kept;
        const bool is_kept = kept != segment.kept.end() && kept->first.begin <= i;
        if (is_kept && kept->first.begin < i) continue;
        result.source_tokens.push_back(is_kept ? kept->second
                                               : services_->source_piece(segment.source[i]));
      }
    }
    if (settings_.search.sampling.enabled) result.seed = settings_.search.sampling.seed;
    if (!request_.targets.empty()) {
      Hypothesis& scored = segments.front().front().hypothesis;
      scored.text = request_.targets[static_cast<size_t>(index)];
      const auto size = static_cast<int64_t>(request_.contents[static_cast<size_t>(index)].size());
      result.sentences = {{{0, size}, {0, static_cast<int64_t>(scored.text.size())}}};
      if (scored.finish_reason == kernels::FinishReason::kNoOutput) {
        scored.score = scored.log_prob = -std::numeric_limits<float>::infinity();
      }
      result.hypotheses.push_back(std::move(scored));
    } else {
      AssembleItem(request_.contents[static_cast<size_t>(index)], plan, std::move(segments),
                   {LanguageUsesSpaces(languages_.target), request_.returns.alignment,
                    request_.guard != Guard::kOff},
                   result);
    }
  } else {
    result.target_token_count = 0;  // a failed item has no members except its status and index
  }
  MutexLock lock(&mu_);
  Append([result = std::move(result)](TranslationSink& sink) mutable {
    sink.OnItem(std::move(result));
  });
  if (--items_remaining_ > 0) return;
  if (!done_) services_->accounting.observer->OnJobTranslated(target_tokens_);
  AppendDone(absl::OkStatus());
}

void Job::Append(Event event) {
  if (!done_) events_.push_back(std::move(event));
}

void Job::AppendDone(absl::Status status) {
  if (done_) return;
  done_ = true;
  timings_.total = services_->clock->Now() - started_;
  events_.push_back([status = std::move(status), timings = timings_](TranslationSink& sink) {
    sink.OnDone(status, timings);
  });
}

void Job::Drain() {
  const std::shared_ptr<Job> self = shared_from_this();
  for (;;) {
    Event event;
    {
      MutexLock lock(&mu_);
      if (draining_) return;
      if (events_.empty()) return;
      draining_ = true;
      event = std::move(events_.front());
      events_.pop_front();
    }
    event(*sink_);
    bool finished = false;
    {
      MutexLock lock(&mu_);
      draining_ = false;
      finished = done_ && events_.empty();
    }
    if (finished) {
      sink_.reset();
      services_->on_finished(id_);
      return;
    }
  }
}

}  // namespace dragoman::engine
