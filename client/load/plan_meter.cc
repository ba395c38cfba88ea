#include "client/load/plan_meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dragoman::client {
namespace {

double InSeconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

PlanMeter::PlanMeter(LoadDriver* inner, Daemon daemon, int callers, std::chrono::nanoseconds warmup,
                     std::chrono::nanoseconds duration)
    : inner_(*inner),
      daemon_(std::move(daemon)),
      callers_(callers),
      duration_(duration),
      first_under_way_(callers) {
  marks_[0].planned = inner->Now() + warmup;
}

void PlanMeter::Send(int64_t call) {
  sent_[call] = inner_.Now();
  inner_.Send(call);
}

void PlanMeter::Wait(std::optional<TimePoint> until, std::vector<LoadCompletion>* completions) {
  // Wakes up at every mark, even if no call ends at that time.
  for (;;) {
    const std::optional<TimePoint> next = NextMark();
    const bool mark = next.has_value() && (!until || *next < *until);
    inner_.Wait(mark ? next : until, completions);
    for (const LoadCompletion& done : *completions) {
      if (done.call < callers_) --first_under_way_;
    }
    ReachMarks();
    if (!mark || !completions->empty()) break;
  }
  for (const LoadCompletion& done : *completions) Count(done);
}

std::optional<ClientClock::TimePoint> PlanMeter::NextMark() const {
  if (reached_ == kMarks || first_under_way_ > 0) return std::nullopt;
  return marks_[reached_].planned;
}

void PlanMeter::ReachMarks() {
  for (;;) {
    const std::optional<TimePoint> next = NextMark();
    const TimePoint now = inner_.Now();
    if (!next.has_value() || now < *next) break;
    marks_[reached_].reached = now;
    marks_[reached_].cpu = daemon_.cpu_time();
    if (reached_ == 0) {
      marks_[1].planned = now + duration_ / 2;
      marks_[2].planned = now + duration_;
    }
    if (++reached_ == kMarks) under_way_ = static_cast<int64_t>(sent_.size());
  }
  if (reached_ > 0 && reached_ < kMarks) {
    resident_ = std::max(resident_, daemon_.resident_bytes());
  }
}

void PlanMeter::Count(const LoadCompletion& done) {
  const auto sent = sent_.find(done.call);
  if (sent == sent_.end()) return;
  const TimePoint from = sent->second;
  sent_.erase(sent);
  if (reached_ == kMarks && from < marks_[kMarks - 1].reached) --under_way_;
  const double took = InSeconds(done.finished - from);
  // Only marks that have been reached matter, because every later mark is after the end of this
  // call.
  for (int half = 0; half + 1 < kMarks && half < reached_; ++half) {
    const TimePoint begin = std::max(from, marks_[half].reached);
    const TimePoint end =
        half + 1 < reached_ ? std::min(done.finished, marks_[half + 1].reached) : done.finished;
    if (end <= begin) continue;
    const double counts = static_cast<double>(done.characters) * InSeconds(end - begin) / took;
    characters_[half] += counts;
    call_seconds_ += counts * took;
  }
}

void PlanMeter::Report(PlanMeasurement* out) const {
  out->seconds = InSeconds(marks_[kMarks - 1].reached - marks_[0].reached);
  out->characters = std::llround(characters_[0] + characters_[1]);
  out->cpu_seconds = InSeconds(marks_[kMarks - 1].cpu - marks_[0].cpu);
  out->under_load = resident_;
}

double PlanMeter::halves_differ() const {
  double rates[kMarks - 1];
  for (int half = 0; half + 1 < kMarks; ++half) {
    const double cpu = InSeconds(marks_[half + 1].cpu - marks_[half].cpu);
    rates[half] = cpu > 0 ? characters_[half] / cpu : 0;
  }
  const auto [least, most] = std::minmax(rates[0], rates[1]);
  return least > 0 ? 1 - least / most : 1;
}

double PlanMeter::call_seconds() const {
  const double counted = characters_[0] + characters_[1];
  return counted > 0 ? call_seconds_ / counted : 0;
}

Plan Estimate(const PlanMeasurement& measured, const PlanWish& wish) {
  Plan plan;
  plan.characters_per_core_second = static_cast<double>(measured.characters) / measured.cpu_seconds;
  const double asked = plan.characters_per_core_second * wish.utilisation;
  plan.cores = wish.characters_per_second / asked;
  plan.core_hours_per_million = 1e6 / asked / 3600;
  // Without the tolerance, rounding makes 1.4 cores at 0.7 more than 2.
  plan.replicas = static_cast<int>(std::ceil(plan.cores / wish.cores - 1e-9)) + wish.spare;
  plan.replicas = std::max(plan.replicas, 1);

  // All workers share the weights. Each worker has its own K/V and workspaces.
  const auto scaled = [&](int64_t bytes) { return bytes * wish.cores / measured.workers; };
  const int64_t more_workers = int64_t{wish.cores} - measured.workers;
  plan.limit = measured.bound + more_workers * measured.per_worker;
  plan.at_rest = std::min(measured.at_rest, plan.limit);
  plan.under_load =
      std::min(measured.at_rest + scaled(measured.under_load - measured.at_rest), plan.limit);
  return plan;
}

}  // namespace dragoman::client
