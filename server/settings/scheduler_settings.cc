#include "server/settings/scheduler_settings.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/quoted.h"

namespace dragoman {
namespace {

template <typename E>
struct Named {
  const char* name;
  E value;
};

constexpr Named<RefillRule> kRefillRules[] = {{"continuous", RefillRule::kContinuous},
                                              {"stream", RefillRule::kStream},
                                              {"half-empty", RefillRule::kHalfEmpty},
                                              {"static", RefillRule::kStatic}};
constexpr Named<CapacityUnit> kUnits[] = {{"rows", CapacityUnit::kRows},
                                          {"segments", CapacityUnit::kSegments},
                                          {"source-tokens", CapacityUnit::kSourceTokens}};
constexpr Named<SlotSelection> kSelections[] = {{"all", SlotSelection::kAll},
                                                {"shortest-first", SlotSelection::kShortest},
                                                {"longest-first", SlotSelection::kLongest}};
constexpr Named<WindowOrder> kOrders[] = {{"arrival", WindowOrder::kArrival},
                                          {"longest-first", WindowOrder::kLongestFirst},
                                          {"shortest-first", WindowOrder::kShortestFirst}};

absl::Status Refuse(const char* flag, const std::string& found, const std::string& expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, ": found ", Quoted(found), ", expected ", expected));
}

template <typename E, size_t kSize>
absl::Status ReadName(const char* flag, const std::string& text, const Named<E> (&names)[kSize],
                      E* out) {
  std::vector<std::string> known;
  for (const Named<E>& named : names) {
    if (text == named.name) {
      *out = named.value;
      return absl::OkStatus();
    }
    known.emplace_back(named.name);
  }
  return Refuse(flag, text, absl::StrCat("one of ", absl::StrJoin(known, ", ")));
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "1/6", exactly.
absl::Status ReadThreshold(const std::string& text, SchedulerOptions* out) {
  const size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto above = WholeNumber(std::string_view(text).substr(0, slash));
    const auto below = WholeNumber(std::string_view(text).substr(slash + 1));
    constexpr int64_t kLargest = 1'000'000;
    if (above.has_value() && below.has_value() && *above >= 0 && *above <= *below && *below >= 1 &&
        *below <= kLargest) {
      out->eps_num = *above;
      out->eps_den = *below;
      return absl::OkStatus();
    }
  }
  return Refuse("refill-threshold", text,
                "a fraction from 0 to 1, such as 1/6, of whole numbers up to 1000000");
}

}  // namespace

absl::StatusOr<SchedulerOptions> ParseScheduler(const ModelSettings& config) {
  SchedulerOptions out;
  for (const absl::Status& status :
       {ReadName("scheduler", config.scheduler, kRefillRules, &out.refill),
        ReadName("scheduler-unit", config.scheduler_unit, kUnits, &out.unit),
        ReadName("slot-selection", config.slot_selection, kSelections, &out.selection),
        ReadName("encode-window-order", config.encode_window_order, kOrders, &out.window.order),
        ReadThreshold(config.refill_threshold, &out)}) {
    if (!status.ok()) return status;
  }
  const bool threshold_given = config.refill_threshold != ModelSettings().refill_threshold;
  if (threshold_given && out.refill != RefillRule::kStream) {
    return Refuse("refill-threshold", config.refill_threshold,
                  "it only with --scheduler stream, not with " + Quoted(config.scheduler));
  }
  out.capacity = config.scheduler_capacity;
  out.width_budget = config.width_budget;
  out.max_pause = config.max_pause_steps;
  out.lanes = config.decode_lanes;
  out.window.segments = config.encode_window_segments;
  out.window.tokens = config.encode_window_tokens;
  return out;
}

}  // namespace dragoman
