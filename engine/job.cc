#include "engine/job.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/text/sentence_splitter.h"

namespace dragoman {
namespace {

// Ended by EndWith, not by a cancellation.
constexpr int kEndedOtherwise = 3;

absl::Status StatusOf(CancelCause cause) {
  switch (cause) {
    case CancelCause::kClient:
      return absl::CancelledError("the call was cancelled");
    case CancelCause::kDeadline:
      return absl::DeadlineExceededError("the deadline passed before the translation was done");
    case CancelCause::kDrain:
      break;
  }
  return absl::UnavailableError("the server stopped before the translation was done");
}

Outcome OutcomeOfHypotheses(const std::vector<DecodedHypothesis>& hypotheses) {
  return OutcomeOf(hypotheses.empty() ? FinishReason::kNoOutput : hypotheses.front().reason);
}

}  // namespace

Job::Job(JobId id, TranslationJob request, const SearchSettings& settings, bool target_uses_spaces,
         RequestQueue::Reservation reservation, std::shared_ptr<TranslationSink> sink,
         const JobServices* services)
    : id_(id),
      request_(std::move(request)),
      settings_(settings),
      forbidden_(std::make_shared<ForbiddenTable>(settings.forbidden, settings.excluded)),
      target_uses_spaces_(target_uses_spaces),
      reservation_(reservation),
      services_(services),
      started_(services->clock->Now()),
      items_remaining_(request_.items.size()),
      sink_(std::move(sink)) {}

std::optional<CancelCause> Job::abandoned() const {
  const int ended = ended_.load(std::memory_order_acquire);
  if (ended < 0) return std::nullopt;
  return ended == kEndedOtherwise ? CancelCause::kDrain : static_cast<CancelCause>(ended);
}

std::vector<std::unique_ptr<Segment>> Job::Begin(std::vector<ItemPlan> plans, int special_tokens,
                                                 Nanos tokenize_time) {
  std::vector<std::unique_ptr<Segment>> segments;
  {
    MutexLock lock(&mu_);
    timings_.tokenize = tokenize_time;
    items_.resize(plans.size());
    for (size_t i = 0; i < plans.size(); ++i) {
      Item& item = items_[i];
      item.status = std::move(plans[i].status);
      item.pieces = std::move(plans[i].pieces);
      item.source = std::move(plans[i].tokens);
      item.segments.resize(item.pieces.size());
      item.remaining = item.pieces.size();
      for (size_t s = 0; s < item.pieces.size(); ++s) {
        auto segment = std::make_unique<Segment>();
        segment->owner = shared_from_this();
        segment->item = static_cast<int>(i);
        segment->index = static_cast<int>(s);
        segment->source = item.source[s];
        segment->search =
            SearchForSegment(settings_, static_cast<int>(segment->source.size()) - special_tokens,
                             false, static_cast<int>(segments.size()));
        segment->divisor = LengthDivisors(segment->search.max_tokens,
                                          segment->search.length_penalty, segment->search.penalty);
        segment->forbidden = forbidden_;
        segment->wants_partials = request_.returns.partials;
        segment->priority = request_.priority;
        segment->deadline = request_.deadline;
        segments.push_back(std::move(segment));
      }
    }
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].remaining == 0) ItemDone(static_cast<int>(i));
    }
  }
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
  MutexLock lock(&mu_);
  SegmentText& text =
      items_[static_cast<size_t>(segment.item)].segments[static_cast<size_t>(segment.index)];
  text.partial.assign(tokens.begin(), tokens.end());
  // The newest replaces what no detokenizer has begun with.
  if (text.partial_queued || done_) return;
  text.partial_queued = true;
  services_->detokenizers->Post([self = shared_from_this(), item = segment.item,
                                 index = segment.index] { self->DetokenizePartial(item, index); });
}

void Job::DetokenizePartial(int item, int index) {
  std::vector<int32_t> tokens;
  StreamingDetokenizer* stream = nullptr;
  {
    MutexLock lock(&mu_);
    SegmentText& text = items_[static_cast<size_t>(item)].segments[static_cast<size_t>(index)];
    if (text.stream == nullptr) {
      text.stream = std::make_unique<StreamingDetokenizer>(services_->tokenizer);
    }
    tokens = std::move(text.partial);
    text.partial.clear();
    stream = text.stream.get();
  }
  // Only one of these tasks is under way for a segment, so the stream is this thread's.
  const bool grown = stream->Update(tokens);
  {
    MutexLock lock(&mu_);
    Item& owner = items_[static_cast<size_t>(item)];
    SegmentText& text = owner.segments[static_cast<size_t>(index)];
    text.partial_queued = false;
    if (grown && !text.done) {
      const TextRange& piece = owner.pieces[static_cast<size_t>(index)];
      SegmentUpdate update{item, index, {piece.begin, piece.end}, stream->text(), false};
      Append([update = std::move(update)](TranslationSink& sink) mutable {
        sink.OnSegment(std::move(update));
      });
    }
    if (!text.partial.empty() && !text.done && !done_) {
      text.partial_queued = true;
      services_->detokenizers->Post(
          [self = shared_from_this(), item, index] { self->DetokenizePartial(item, index); });
    }
  }
  Drain();
}

void Job::OnDecoded(std::unique_ptr<Segment> segment, std::vector<DecodedHypothesis> hypotheses) {
  // std::function copies its target, hence the shared pointers.
  auto held = std::make_shared<std::unique_ptr<Segment>>(std::move(segment));
  auto results = std::make_shared<std::vector<DecodedHypothesis>>(std::move(hypotheses));
  services_->detokenizers->Post([self = shared_from_this(), held, results] {
    self->DetokenizeFinal(std::move(*held), std::move(*results));
  });
}

Hypothesis Job::ToHypothesis(const DecodedHypothesis& decoded) const {
  Hypothesis out;
  out.text = services_->tokenizer->Decode(decoded.tokens);
  out.score = decoded.score;
  out.log_prob = decoded.log_prob;
  out.finish_reason = decoded.reason;
  if (request_.returns.tokens) {
    for (const int32_t token : decoded.tokens) {
      out.tokens.push_back(services_->target_piece(token));
    }
  }
  if (request_.returns.token_scores) out.token_scores = decoded.token_log_probs;
  return out;
}

void Job::DetokenizeFinal(std::unique_ptr<Segment> segment,
                          std::vector<DecodedHypothesis> hypotheses) {
  if (const std::optional<CancelCause> cause = abandoned()) {
    // Decoded in vain: the job ended while this waited for a detokenizer.
    const int64_t wasted =
        hypotheses.empty() ? 0 : static_cast<int64_t>(hypotheses.front().tokens.size());
    Drop(std::move(segment), Stage::kDetokenize, wasted, services_->books);
    return;
  }
  const Nanos begun = services_->clock->Now();
  std::vector<Hypothesis> texts;
  texts.reserve(hypotheses.size());
  for (const DecodedHypothesis& h : hypotheses) texts.push_back(ToHypothesis(h));
  if (texts.empty()) {
    Hypothesis none;
    none.finish_reason = FinishReason::kNoOutput;
    texts.push_back(std::move(none));
  }
  const int64_t target_tokens =
      hypotheses.empty() ? 0 : static_cast<int64_t>(hypotheses.front().token_log_probs.size());
  const Nanos now = services_->clock->Now();
  services_->books.observer->OnStage(Stage::kDetokenize, now - segment->decoded_at);
  services_->books.observer->OnSegmentTranslated(segment->tokens(), target_tokens);
  services_->books.ledger->End(segment->running, OutcomeOfHypotheses(hypotheses));
  {
    MutexLock lock(&mu_);
    timings_.queue += segment->popped_at - segment->queued_at;
    timings_.encode += segment->encoded_at - segment->popped_at;
    timings_.slot_wait += segment->admitted_at - segment->encoded_at;
    timings_.decode += segment->decoded_at - segment->admitted_at;
    timings_.detokenize += now - begun;
    target_tokens_ += target_tokens;
    Item& item = items_[static_cast<size_t>(segment->item)];
    SegmentText& text = item.segments[static_cast<size_t>(segment->index)];
    text.done = true;
    text.hypotheses = std::move(texts);
    text.tokens = target_tokens;
    if (request_.returns.partials || request_.returns.segments) {
      const TextRange& piece = item.pieces[static_cast<size_t>(segment->index)];
      SegmentUpdate update{segment->item,
                           segment->index,
                           {piece.begin, piece.end},
                           text.hypotheses.front().text,
                           true};
      Append([update = std::move(update)](TranslationSink& sink) mutable {
        sink.OnSegment(std::move(update));
      });
    }
    SegmentDone(segment->item);
  }
  Drain();
}

void Job::OnFailed(std::unique_ptr<Segment> segment, const absl::Status& status) {
  {
    MutexLock lock(&mu_);
    Item& item = items_[static_cast<size_t>(segment->item)];
    item.segments[static_cast<size_t>(segment->index)].done = true;
    if (item.status.ok()) item.status = status;
    SegmentDone(segment->item);
  }
  Drain();
}

void Job::SegmentDone(int item) {
  if (--items_[static_cast<size_t>(item)].remaining == 0) ItemDone(item);
}

void Job::ItemDone(int index) {
  Append([result = Assemble(index)](TranslationSink& sink) mutable {
    sink.OnItem(std::move(result));
  });
  if (--items_remaining_ == 0) {
    if (!done_) services_->books.observer->OnJobTranslated(target_tokens_);
    AppendDone(absl::OkStatus());
  }
}

ItemResult Job::Assemble(int index) {
  Item& item = items_[static_cast<size_t>(index)];
  ItemResult result;
  result.index = index;
  result.status = item.status;
  if (!result.status.ok()) return result;

  const std::string& source = request_.items[static_cast<size_t>(index)];
  const size_t ranks = item.segments.size() == 1 ? item.segments.front().hypotheses.size() : 1;
  for (size_t rank = 0; rank < ranks; ++rank) {
    Hypothesis whole;
    std::vector<std::string> texts;
    for (SegmentText& segment : item.segments) {
      Hypothesis& part = segment.hypotheses[rank];
      texts.push_back(std::move(part.text));
      whole.score = part.score;
      whole.log_prob += part.log_prob;
      whole.finish_reason = std::max(whole.finish_reason, part.finish_reason);
      std::move(part.tokens.begin(), part.tokens.end(), std::back_inserter(whole.tokens));
      whole.token_scores.insert(whole.token_scores.end(), part.token_scores.begin(),
                                part.token_scores.end());
    }
    JoinedText joined = JoinTranslations(source, item.pieces, texts, target_uses_spaces_);
    if (rank == 0) {
      for (size_t s = 0; s < item.pieces.size(); ++s) {
        result.sentences.push_back({{item.pieces[s].begin, item.pieces[s].end},
                                    {joined.ranges[s].begin, joined.ranges[s].end}});
      }
    }
    whole.text = std::move(joined.text);
    result.hypotheses.push_back(std::move(whole));
  }
  for (const std::vector<int32_t>& tokens : item.source) {
    result.source_token_count += static_cast<int64_t>(tokens.size());
    if (!request_.returns.tokens) continue;
    for (const int32_t token : tokens) {
      result.source_tokens.push_back(services_->source_piece(token));
    }
  }
  for (const SegmentText& segment : item.segments) result.target_token_count += segment.tokens;
  return result;
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

}  // namespace dragoman
