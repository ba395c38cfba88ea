#include "engine/decode/device_batch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/search/rules_image.h"

namespace dragoman::engine {
namespace {

// Returns the part of a search's row costs that exceeds 1 per row, for a full beam.
int64_t SurchargeOf(const kernels::SearchOptions& search) {
  return int64_t{search.beam} * (search.row_cost - 1);
}

// Returns count - 1 .. 0. Used as a stack, it yields the lowest number first.
template <class T>
std::vector<T> Descending(int count) {
  std::vector<T> numbers(static_cast<size_t>(count));
  std::iota(numbers.rbegin(), numbers.rend(), T{0});
  return numbers;
}

}  // namespace

DeviceNeeds NeedsOf(const kernels::BatchLimits& limits) {
  const int32_t beam = std::min(limits.max_rows, kernels::kMaxBeam);
  DeviceNeeds needs;
  needs.rules_words =
      static_cast<int32_t>(kernels::MaxRulesImageWords(limits.positions - 1, limits.vocabulary));
  needs.materialized_rows = beam;
  needs.command_words = beam + limits.pages_per_lane() + needs.rules_words;
  needs.output_words = beam * kernels::HypothesisWords(limits.positions, true);
  return needs;
}

kernels::BatchLimits LimitsOf(const BatchConfig& config, int32_t self_pages) {
  kernels::BatchLimits limits;
  limits.max_rows = config.max_rows;
  limits.lanes = config.lane_count();
  limits.positions = config.max_positions;
  limits.self_pages = self_pages;
  limits.vocabulary = config.vocabulary;
  limits.start_token = config.start_token;
  const DeviceNeeds needs = NeedsOf(limits);
  limits.materialized_rows = needs.materialized_rows;
  limits.rules_words = needs.rules_words;
  return limits;
}

absl::StatusOr<std::unique_ptr<DeviceBatch>> DeviceBatch::Create(
    std::unique_ptr<StepDevice> device) {
  const kernels::BatchLimits& limits = device->limits();
  const DeviceNeeds needs = NeedsOf(limits);
  absl::Status status;
  const auto check = [&status](const char* what, int32_t found, int32_t expected) {
    if (found >= expected) return;
    status.Update(absl::InvalidArgumentError(
        absl::StrCat("device batch: ", what, " is ", found, ", expected at least ", expected)));
  };
  check("rules_words", limits.rules_words, needs.rules_words);
  check("materialized_rows", limits.materialized_rows, needs.materialized_rows);
  check("lanes", limits.lanes, limits.max_rows);
  for (int i = 0; i < kernels::kStepMailboxes; ++i) {
    check("command_capacity", device->mailbox(i).command_capacity, needs.command_words);
    check("output_capacity", device->mailbox(i).output_capacity, needs.output_words);
  }
  if (device->buckets().empty() || device->buckets().back() != limits.max_rows) {
    status.Update(absl::InvalidArgumentError("device batch: the last bucket is not max_rows"));
  }
  if (!status.ok()) return status;
  return std::unique_ptr<DeviceBatch>(new DeviceBatch(std::move(device)));
}

DeviceBatch::DeviceBatch(std::unique_ptr<StepDevice> device)
    : device_(std::move(device)),
      limits_(device_->limits()),
      slots_(static_cast<size_t>(limits_.max_rows)),
      free_slots_(Descending<int>(limits_.max_rows)),
      free_lanes_(Descending<int32_t>(limits_.lanes)),
      rules_(limits_.rules_words, limits_.max_rows) {
  occupied_.reserve(slots_.size());
  leaving_.reserve(slots_.size());
  events_.reserve(slots_.size());
  BeginCommand();
}

void DeviceBatch::BeginCommand() {
  *NextMailbox().command = kernels::StepCommand{};
  command_words_ = 0;
}

bool DeviceBatch::HasRoomFor(const kernels::SearchOptions& search,
                             const kernels::SegmentRules& rules) const {
  if (free_slots_.empty() || static_cast<int>(free_lanes_.size()) < search.beam) return false;
  // Checks the number of materialized rows, unless all rows of a step may be materialized.
  if (limits_.materialized_rows < limits_.max_rows && device_->IsMaterialized(search) &&
      materialized_rows_ + search.beam > limits_.materialized_rows) {
    return false;
  }
  const auto image = static_cast<int32_t>(kernels::RulesImageWords(rules, search.max_tokens));
  return rules_.Fits(image) && command_words_ + search.beam + limits_.pages_per_lane() + image <=
                                   NextMailbox().command_capacity;
}

int DeviceBatch::Admit(SlotInput input) {
  const int number = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = At(number);
  slot.search = input.search;
  slot.cross = std::move(input.cross);
  const auto kept = free_lanes_.end() - input.search.beam;
  slot.lanes.assign(free_lanes_.rbegin(), free_lanes_.rbegin() + input.search.beam);
  free_lanes_.erase(kept, free_lanes_.end());
  slot.rules_words =
      static_cast<int32_t>(kernels::RulesImageWords(input.rules, input.search.max_tokens));
  slot.rules_begin = rules_.Take(slot.rules_words);
  slot.first_step = next_step_;
  slot.occupied = true;
  slot.ended = false;
  slot.settled.clear();
  if (input.wants_partials) slot.settled.reserve(static_cast<size_t>(input.search.max_tokens));
  if (device_->IsMaterialized(input.search)) materialized_rows_ += input.search.beam;
  occupied_.push_back(number);
  beams_ += input.search.beam;
  surcharge_ += SurchargeOf(input.search);
  new_beams_[slot.first_step % kernels::kStepMailboxes] += input.search.beam;

  const kernels::StepMailbox& mailbox = NextMailbox();
  kernels::AdmitCommand& admit = mailbox.admissions[mailbox.command->admissions++];
  admit.slot = number;
  admit.source_length = input.source_length;
  admit.cross_pages = static_cast<int32_t>(slot.cross.pages().size());
  admit.words_begin = command_words_;
  admit.rules_begin = slot.rules_begin;
  admit.rules_words = slot.rules_words;
  admit.wants_partials = input.wants_partials;
  admit.options = input.search;
  int32_t* words = mailbox.command_words + command_words_;
  words = std::copy(slot.lanes.begin(), slot.lanes.end(), words);
  words = std::copy(slot.cross.pages().begin(), slot.cross.pages().end(), words);
  kernels::WriteRulesImage(input.rules, input.search.max_tokens, words);
  command_words_ = static_cast<int32_t>(words - mailbox.command_words) + slot.rules_words;
  return number;
}

void DeviceBatch::Release(int number) {
  Slot& slot = At(number);
  slot.occupied = false;
  occupied_.erase(std::find(occupied_.begin(), occupied_.end(), number));
  beams_ -= slot.search.beam;
  surcharge_ -= SurchargeOf(slot.search);
  if (slot.first_step > latest_.step) {
    new_beams_[slot.first_step % kernels::kStepMailboxes] -= slot.search.beam;
  }
  if (device_->IsMaterialized(slot.search)) materialized_rows_ -= slot.search.beam;
  // The slot is free at once if no step runs after an error, or if the device has removed the
  // segment because its search has ended.
  if (failed_ || slot.ended) return Free(number);
  const kernels::StepMailbox& mailbox = NextMailbox();
  kernels::StepCommand& command = *mailbox.command;
  if (slot.first_step == next_step_) {  // the command with the segment was not sent yet
    kernels::AdmitCommand* const end = mailbox.admissions + command.admissions;
    kernels::AdmitCommand* const mine =
        std::find_if(mailbox.admissions, end,
                     [number](const kernels::AdmitCommand& admit) { return admit.slot == number; });
    std::move(mine + 1, end, mine);
    --command.admissions;
    return Free(number);
  }
  mailbox.cancelled[command.cancelled++] = number;
  leaving_.push_back(number);
}

void DeviceBatch::Free(int number) {
  Slot& slot = At(number);
  slot.cross.Release();
  free_lanes_.insert(free_lanes_.end(), slot.lanes.rbegin(), slot.lanes.rend());
  rules_.GiveBack(slot.rules_begin, slot.rules_words);
  free_slots_.push_back(number);
}

void DeviceBatch::FreeLeaving() {
  for (const int number : leaving_) Free(number);
  leaving_.clear();
}

int64_t DeviceBatch::ExpectedRows() const {
  // `latest_.expected_rows` includes segments that have left since, so the sum of the beams limits
  // it.
  return std::min(beams_, latest_.expected_rows + new_beams_[0] + new_beams_[1]);
}

StepDevice::Launch DeviceBatch::MakeLaunch(const kernels::PlanRules& rules) const {
  StepDevice::Launch launch;
  launch.mailbox = static_cast<int>(next_step_ % kernels::kStepMailboxes);
  int64_t widest = 1;
  for (const int number : occupied_) {
    const kernels::SearchOptions& search = Of(number).search;
    widest = std::max<int64_t>(widest, search.beam);
    launch.align = launch.align || search.align;
    if (device_->IsMaterialized(search)) {
      launch.materialized = true;
    } else {
      launch.max_k = std::max(launch.max_k, search.candidates());
    }
  }
  // ExpectedRows may be too low. Then the plan pauses the slots that do not fit into the bucket.
  // This costs time but changes no result.
  int64_t rows = ExpectedRows();
  if (rules.width_budget > 0) rows = std::min<int64_t>(rows, rules.width_budget);
  rows = std::min<int64_t>(std::max(rows, widest), limits_.max_rows);
  launch.bucket = *std::lower_bound(device_->buckets().begin(), device_->buckets().end(), rows);
  return launch;
}

absl::StatusOr<Batch::StepReport> DeviceBatch::Step(const kernels::PlanRules& rules) {
  events_.clear();
  const absl::Status status = RunAndRead(rules);
  // The previous step has finished. It was the last step that reads the lanes and tables of the
  // slots in `leaving_`, so these are freed now.
  FreeLeaving();
  if (!status.ok()) {
    failed_ = true;
    return status;
  }
  BeginCommand();
  if (latest_.step < 0) return StepReport{};
  return StepReport{latest_.rows, latest_.slots, events_};
}

absl::Status DeviceBatch::RunAndRead(const kernels::PlanRules& rules) {
  const StepDevice::Launch launch = MakeLaunch(rules);
  kernels::StepCommand& command = *NextMailbox().command;
  command.max_rows = launch.bucket;
  command.rules = rules;
  if (absl::Status status = device_->Enqueue(launch); !status.ok()) return status;
  const int64_t before = next_step_++ - 1;
  if (before < 0) return absl::OkStatus();
  if (absl::Status status = device_->Wait(static_cast<int>(before % kernels::kStepMailboxes));
      !status.ok()) {
    return status;
  }
  return Read(before);
}

absl::Status DeviceBatch::Read(int64_t step) {
  const kernels::StepMailbox& mailbox = MailboxOf(step);
  latest_ = *mailbox.output;
  new_beams_[step % kernels::kStepMailboxes] = 0;
  if (latest_.step != step) {
    return absl::InternalError(absl::StrCat("the output of the device is that of step ",
                                            latest_.step, ", expected step ", step));
  }
  for (int32_t i = 0; i < latest_.deliveries; ++i) {
    const kernels::Delivery& delivery = mailbox.deliveries[i];
    Slot& slot = At(delivery.slot);
    if (!slot.occupied) continue;  // the segment was cancelled after the step began
    slot.delivery = delivery;
    BatchEvent event{delivery.slot, BatchEvent::Kind::kSettled};
    switch (delivery.kind) {
      case kernels::DeliveryKind::kSettled: {
        const int32_t* const words = mailbox.output_words + delivery.words_begin;
        slot.settled.insert(slot.settled.end(), words, words + delivery.words);
        break;
      }
      case kernels::DeliveryKind::kDone:
        slot.ended = true;
        event.kind = BatchEvent::Kind::kDone;
        break;
      case kernels::DeliveryKind::kBadNumber:
        slot.ended = true;
        event.kind = BatchEvent::Kind::kBadNumber;
        break;
    }
    events_.push_back(event);
  }
  return absl::OkStatus();
}

std::vector<DecodedHypothesis> DeviceBatch::Result(int number) const {
  const Slot& slot = Of(number);
  const int32_t* words = MailboxOf(latest_.step).output_words + slot.delivery.words_begin;
  std::vector<DecodedHypothesis> result(static_cast<size_t>(slot.delivery.hypotheses));
  for (DecodedHypothesis& out : result) {
    const kernels::DeliveredHypothesis h = kernels::ReadHypothesis(words, slot.search.align);
    out.score = h.header.score;
    out.log_prob = h.header.log_prob;
    out.tokens.assign(h.tokens, h.tokens + h.header.length);
    for (int32_t i = 0; i < h.header.length; ++i) out.token_log_probs.push_back(h.LogProb(i));
    EndHypothesis(slot.search, h.header.last_token, h.header.last_log_prob, h.header.unmet != 0,
                  &out);
    if (slot.search.align) out.aligned.assign(h.aligned, h.aligned + h.header.length + 1);
  }
  return result;
}

int DeviceBatch::DecodedTokens(int number) const {
  const Slot& slot = Of(number);
  const int64_t steps = std::max<int64_t>(latest_.step - slot.first_step + 1, 0);
  return static_cast<int>(std::min<int64_t>(steps, slot.search.max_tokens));
}

int32_t DeviceBatch::self_pages_used() const { return busy() ? latest_.self_pages_used : 0; }

DeviceBatch::Held DeviceBatch::held() const {
  return {limits_.max_rows - static_cast<int>(free_slots_.size()),
          limits_.lanes - static_cast<int>(free_lanes_.size()), materialized_rows_, rules_.used()};
}

}  // namespace dragoman::engine
