#include "tests/kernels/search/batch_harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tests/engine/support/scripted_model.h"
#include "tests/kernels/search/slot_harness.h"

namespace dragoman::testing {
namespace {

constexpr size_t kAlignment = 256;

std::vector<int32_t> Descending(int count) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  return numbers;
}

HarnessHypothesis InSlot(const kernels::SlotView& view, int entry) {
  const kernels::FinishedHypothesis& f = view.Finished(entry);
  HarnessHypothesis h{.score = f.score,
                      .log_prob = f.log_prob,
                      .last_token = f.last_token,
                      .last_log_prob = f.last_log_prob,
                      .unmet = f.unmet};
  for (int32_t i = 0; i < f.length; ++i) {
    h.tokens.push_back(view.FinishedToken(entry, i));
    h.log_probs.push_back(view.FinishedTokenLogProb(entry, i));
  }
  if (view.state->options.align) {
    for (int32_t i = 0; i <= f.length; ++i) h.aligned.push_back(view.FinishedAligned(entry, i));
  }
  return h;
}

int32_t CommandWords(const HarnessSegment& s) {
  return s.options().beam + s.cross_pages +
         static_cast<int32_t>(kernels::RulesImageWords(s.Rules(), s.options().max_tokens));
}

RandomCase WithLongPrefix(RandomCase c, uint64_t seed) {
  if (seed % 4 != 0) return c;
  if (seed % 12 == 0) c.options.max_tokens = HarnessSegment::kMaxTokens;
  std::mt19937_64 random(seed);
  while (static_cast<int>(c.options.forced_prefix.size()) < c.options.max_tokens - 2) {
    const auto inner = static_cast<uint64_t>(c.vocabulary - 2);
    c.options.forced_prefix.push_back(1 + static_cast<int32_t>(random() % inner));
  }
  return c;
}

}  // namespace

HarnessSegment::HarnessSegment(uint64_t seed)
    : segment_(WithLongPrefix(MakeRandomCase(seed), seed)) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint64_t>(n)); };
  kernels::SearchOptions& o = segment_.options;
  o.num_alternatives = 1 + below(o.beam);
  o.align = o.align || below(3) == 0;
  wants_partials = !o.sampling.enabled && below(2) == 0;
  source_length = 1 + below(50);
  cross_pages = below(kMaxCrossPages + 1);
  if (below(12) == 0) nan_at_ = below(5);
}

std::vector<float> HarnessSegment::Logits(std::span<const int32_t> prefix) const {
  std::vector<float> logits = segment_.random_case.script({}, prefix);
  if (static_cast<int>(prefix.size()) == nan_at_) logits[1] = NAN;
  logits.resize(kVocabulary, -INFINITY);
  return logits;
}

HarnessResult HarnessSegment::Alone() const {
  SlotHarness<uint8_t> harness(options(), Rules(), kVocabulary, kStartToken);
  const kernels::SlotView& view = harness.view;
  while (harness.running()) {
    harness.Fold([this](std::span<const int32_t> prefix) { return Logits(prefix); });
    for (int32_t lane = 0; lane < harness.state.live; ++lane) {
      view.arrays.aligned[view.At(lane, harness.state.length)] = Aligned(harness.state.length);
    }
    harness.Decide(kernels::SingleThread());
  }
  HarnessResult result;
  result.bad_number = harness.state.status == kernels::SlotStatus::kBadNumber;
  if (result.bad_number) return result;
  std::vector<int> order;
  for (int e = 0; e < options().beam; ++e) {
    if (view.Finished(e).status == kernels::EntryStatus::kDone) order.push_back(e);
  }
  if (!options().sampling.enabled) {
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return view.Finished(a).score > view.Finished(b).score; });
  }
  for (const int entry : order) {
    if (static_cast<int>(result.hypotheses.size()) == options().num_alternatives) break;
    result.hypotheses.push_back(InSlot(view, entry));
  }
  return result;
}

BatchHarness::Mailbox::Mailbox(const HarnessConfig& config, std::pmr::memory_resource* memory)
    : cancelled(static_cast<size_t>(config.max_rows), memory),
      words(static_cast<size_t>(config.command_capacity), memory),
      output_words(static_cast<size_t>(config.output_capacity), memory),
      admissions(static_cast<size_t>(config.max_rows), memory),
      deliveries(static_cast<size_t>(config.max_rows), memory) {}

BatchHarness::BatchHarness(const HarnessConfig& config,
                           std::vector<std::unique_ptr<HarnessSegment>> segments,
                           StepRunner* runner)
    : config_(config),
      segments_(std::move(segments)),
      runner_(runner),
      random_(config.seed),
      memory_(runner->memory()),
      mailboxes_(runner->memory()),
      occupants_(static_cast<size_t>(config.max_rows)),
      free_lanes_(Descending(config.lanes)),
      logits_(static_cast<size_t>(config.max_rows) * HarnessSegment::kVocabulary, runner->memory()),
      outcomes_(segments_.size()) {
  for (const auto& s : segments_) {
    const kernels::SegmentRules rules = s->Rules();
    rules_words_ =
        std::max(rules_words_,
                 static_cast<int32_t>(kernels::RulesImageWords(rules, s->options().max_tokens)));
  }
  const std::vector<int32_t> slots = Descending(config.max_rows);
  free_slots_.assign(slots.begin(), slots.end());
  kernels::BatchLimits limits;
  limits.max_rows = config.max_rows;
  limits.lanes = config.lanes;
  limits.positions = HarnessSegment::kMaxTokens + 1;
  limits.self_pages = config.self_pages;
  limits.vocabulary = HarnessSegment::kVocabulary;
  limits.start_token = HarnessSegment::kStartToken;
  limits.workspaces = 4;
  limits.materialized_rows = config.max_rows;
  limits.materialized_workspaces = 4;
  limits.rules_words = rules_words_ * config.max_rows;
  const int64_t bytes = kernels::CarveBatch(limits, nullptr, &tables_);
  memory_.assign(static_cast<size_t>(bytes) + kAlignment, 0xff);  // nothing may rely on zeros
  auto at = reinterpret_cast<uintptr_t>(memory_.data());
  at = (at + kAlignment - 1) / kAlignment * kAlignment;
  EXPECT_EQ(kernels::CarveBatch(limits, reinterpret_cast<void*>(at), &tables_), bytes);

  mailboxes_.reserve(kernels::kStepMailboxes);
  for (int i = 0; i < kernels::kStepMailboxes; ++i) {
    Mailbox& mailbox = mailboxes_.emplace_back(config, runner->memory());
    step_mailboxes_[i] = {&mailbox.command,
                          mailbox.cancelled.data(),
                          mailbox.admissions.data(),
                          mailbox.words.data(),
                          &mailbox.output,
                          mailbox.deliveries.data(),
                          mailbox.output_words.data(),
                          config.command_capacity,
                          config.output_capacity};
  }
  runner_->Format(tables_);
}

bool BatchHarness::Admit(Mailbox& mailbox, int64_t step) {
  if (next_ == segments_.size() || free_slots_.empty()) return false;
  const HarnessSegment& s = *segments_[next_];
  const int32_t beam = s.options().beam;
  int32_t begin = 0;
  if (mailbox.command.admissions > 0) {
    const kernels::AdmitCommand& last =
        mailbox.admissions[static_cast<size_t>(mailbox.command.admissions) - 1];
    begin = last.words_begin + last.options.beam + last.cross_pages + last.rules_words;
  }
  const int32_t words = CommandWords(s);
  if (static_cast<int>(free_lanes_.size()) < beam) return false;
  if (begin + words > config_.command_capacity) return false;

  kernels::AdmitCommand& admit =
      mailbox.admissions[static_cast<size_t>(mailbox.command.admissions++)];
  admit = kernels::AdmitCommand{};
  admit.slot = free_slots_.back();
  free_slots_.pop_back();
  admit.source_length = s.source_length;
  admit.cross_pages = s.cross_pages;
  admit.words_begin = begin;
  admit.rules_begin = admit.slot * rules_words_;
  admit.rules_words = words - beam - s.cross_pages;
  admit.wants_partials = s.wants_partials;
  admit.options = s.options();
  Occupant& occupant = occupants_[static_cast<size_t>(admit.slot)];
  occupant = {static_cast<int>(next_), step, {}};
  int32_t* to = mailbox.words.data() + begin;
  for (int32_t i = 0; i < beam; ++i) {
    occupant.lanes.push_back(free_lanes_.back());
    *to++ = free_lanes_.back();
    free_lanes_.pop_back();
  }
  for (int32_t i = 0; i < s.cross_pages; ++i) *to++ = admit.slot * 100 + i;
  kernels::WriteRulesImage(s.Rules(), s.options().max_tokens, to);
  ++next_;
  ++outstanding_;
  return true;
}

void BatchHarness::Command(int64_t step) {
  Mailbox& mailbox = mailboxes_[static_cast<size_t>(step % kernels::kStepMailboxes)];
  mailbox.command = kernels::StepCommand{};
  mailbox.command.rules = config_.rules;
  if (static_cast<int>(random_() % 100) < config_.cancel_percent) {
    std::vector<int> occupied;
    for (size_t slot = 0; slot < occupants_.size(); ++slot) {
      if (occupants_[slot].segment >= 0) occupied.push_back(static_cast<int>(slot));
    }
    if (!occupied.empty()) {
      const int slot = occupied[random_() % occupied.size()];
      mailbox.cancelled[static_cast<size_t>(mailbox.command.cancelled++)] = slot;
      outcomes_[static_cast<size_t>(occupants_[static_cast<size_t>(slot)].segment)].cancelled =
          true;
      Vacate(slot);  // another segment may get it at once
    }
  }
  while (mailbox.command.admissions < config_.admissions && Admit(mailbox, step)) {
  }
  int widest = 1;
  for (const Occupant& occupant : occupants_) {
    if (occupant.segment >= 0) widest = std::max(widest, static_cast<int>(occupant.lanes.size()));
  }
  mailbox.command.max_rows =
      widest + static_cast<int>(random_() % static_cast<unsigned>(config_.max_rows - widest + 1));
}

void BatchHarness::Vacate(int slot) {
  Occupant& occupant = occupants_[static_cast<size_t>(slot)];
  for (const int32_t lane : occupant.lanes) free_lanes_.push_back(lane);
  occupant = Occupant{};
  free_slots_.push_back(slot);
  --outstanding_;
}

void BatchHarness::Model() {
  for (int32_t row = 0; row < tables_.now->plan.rows; ++row) {
    const int32_t slot = tables_.row_slot[row];
    const int32_t lane = tables_.row_lane[row];
    const int32_t position = tables_.row_position[row];
    const Occupant& occupant = occupants_[static_cast<size_t>(slot)];
    ASSERT_GE(occupant.segment, 0) << "slot " << slot << " runs and is nobody's";
    const HarnessSegment& s = *segments_[static_cast<size_t>(occupant.segment)];
    ASSERT_EQ(tables_.source_length[slot], s.source_length);
    for (int32_t i = 0; i < s.cross_pages; ++i) {
      ASSERT_EQ(tables_.cross_pages[slot * tables_.limits.pages_per_lane() + i], slot * 100 + i);
    }
    const kernels::SlotView& view = tables_.views[slot];
    std::vector<int32_t> prefix;
    for (int32_t i = 0; i < position; ++i) prefix.push_back(view.Token(lane, i));
    const int32_t own_start = s.options().start_token;
    const int32_t start = own_start >= 0 ? own_start : HarnessSegment::kStartToken;
    ASSERT_EQ(tables_.row_token[row], prefix.empty() ? start : prefix.back());
    const int64_t page = int64_t{view.lanes[lane]} * tables_.limits.pages_per_lane() +
                         position / kernels::kPagePositions;
    ASSERT_NE(tables_.lane_pages[page], kernels::kNoPage);
    kernels::LogitRequest& request = tables_.requests[row];
    ASSERT_EQ(request.logits != nullptr, s.options().materialized_logits());
    if (request.logits != nullptr) {
      request.logits = logits_.data() + static_cast<size_t>(row) * HarnessSegment::kVocabulary;
    }
    if (position > view.state->length) ++rows_ahead_;
    FoldLogits(s.Logits(prefix), request, tables_.summaries[row]);
    view.arrays.aligned[view.At(lane, position)] = s.Aligned(position);
  }
}

void BatchHarness::ReadDelivery(const Mailbox& mailbox, const kernels::Delivery& delivery) {
  Occupant& occupant = occupants_[static_cast<size_t>(delivery.slot)];
  Outcome& outcome = outcomes_[static_cast<size_t>(occupant.segment)];
  const int32_t* words = mailbox.output_words.data() + delivery.words_begin;
  ASSERT_LE(delivery.words_begin + delivery.words, config_.output_capacity);
  if (delivery.kind == kernels::DeliveryKind::kSettled) {
    outcome.settled.insert(outcome.settled.end(), words, words + delivery.words);
    return;
  }
  ASSERT_FALSE(outcome.ended);
  outcome.ended = true;
  outcome.result.bad_number = delivery.kind == kernels::DeliveryKind::kBadNumber;
  const bool align = segments_[static_cast<size_t>(occupant.segment)]->options().align;
  const int32_t* at = words;
  for (int32_t i = 0; i < delivery.hypotheses; ++i) {
    const kernels::DeliveredHypothesis d = kernels::ReadHypothesis(at, align);
    HarnessHypothesis h{.score = d.header.score,
                        .log_prob = d.header.log_prob,
                        .last_token = d.header.last_token,
                        .last_log_prob = d.header.last_log_prob,
                        .unmet = d.header.unmet != 0};
    h.tokens.assign(d.tokens, d.tokens + d.header.length);
    for (int32_t p = 0; p < d.header.length; ++p) h.log_probs.push_back(d.LogProb(p));
    if (align) h.aligned.assign(d.aligned, d.aligned + d.header.length + 1);
    outcome.result.hypotheses.push_back(std::move(h));
  }
  ASSERT_EQ(at - words, delivery.words);
  Vacate(delivery.slot);
}

void BatchHarness::Read(int64_t step) {
  Mailbox& mailbox = mailboxes_[static_cast<size_t>(step % kernels::kStepMailboxes)];
  ASSERT_EQ(mailbox.output.step, step);
  // The order of deliveries is not specified. What this host does next must not depend on it.
  const auto end = mailbox.deliveries.begin() + mailbox.output.deliveries;
  std::sort(mailbox.deliveries.begin(), end,
            [](const kernels::Delivery& x, const kernels::Delivery& y) { return x.slot < y.slot; });
  for (auto delivery = mailbox.deliveries.begin(); delivery != end; ++delivery) {
    const Occupant& occupant = occupants_[static_cast<size_t>(delivery->slot)];
    // The segment was cancelled before this was read, and its slot may have another segment.
    if (occupant.segment < 0 || occupant.since > step) {
      EXPECT_TRUE(config_.reads_late);
      continue;
    }
    ReadDelivery(mailbox, *delivery);
  }
}

void BatchHarness::Record(const kernels::StepOutput& output) {
  uint64_t digest = 0;
  const int64_t entries = int64_t{tables_.limits.lanes} * tables_.limits.pages_per_lane();
  for (int64_t i = 0; i < entries; ++i) {
    digest = digest * 0x9E3779B97F4A7C15ULL + static_cast<uint64_t>(tables_.lane_pages[i] + 2);
  }
  steps_.push_back({output.rows, output.slots, output.running, output.waiting, output.undelivered,
                    output.expected_rows, output.self_pages_used, output.deliveries, digest});
}

void BatchHarness::Run() {
  constexpr int64_t kMost = 20000;
  const int64_t delay = config_.reads_late ? 2 : 1;
  // When no segment is outstanding, a few more steps empty the batch.
  int64_t after = 0;
  for (int64_t step = 0; after < 3; ++step) {
    ASSERT_LT(step, kMost) << "the batch is stuck";
    if (step >= delay) Read(step - delay);
    if (::testing::Test::HasFatalFailure()) return;
    Command(step);
    runner_->Before(tables_, step_mailboxes_);
    Model();
    if (::testing::Test::HasFatalFailure()) return;
    runner_->After(tables_, step_mailboxes_);
    Record(mailboxes_[static_cast<size_t>(step % kernels::kStepMailboxes)].output);
    const kernels::StepOutput& output =
        mailboxes_[static_cast<size_t>(step % kernels::kStepMailboxes)].output;
    if (output.rows == 0) {
      // If any segment can run, one must run.
      ASSERT_EQ(output.waiting, 0) << "step " << step;
    }
    after = outstanding_ == 0 && next_ == segments_.size() ? after + 1 : 0;
  }
  const kernels::BatchScalars& now = *tables_.now;
  EXPECT_EQ(now.order_count, 0);
  EXPECT_EQ(now.waiting_count, 0);
  EXPECT_EQ(now.pages.free_count, config_.self_pages);
  std::vector<int32_t> pages(now.pages.free, now.pages.free + now.pages.free_count);
  std::sort(pages.begin(), pages.end());
  for (int32_t i = 0; i < config_.self_pages; ++i) ASSERT_EQ(pages[static_cast<size_t>(i)], i);
}

}  // namespace dragoman::testing
