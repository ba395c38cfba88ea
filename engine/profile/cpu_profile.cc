#include "engine/profile/cpu_profile.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "engine/base/out_of_memory.h"
#include "engine/decode/backend.h"
#include "engine/decode/cpu_model.h"
#include "engine/profile/op_times.h"
#include "engine/profile/profile_steps.h"
#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/op_probe.h"
#include "kernels/search/plan.h"

namespace dragoman::engine {
namespace {

class StepProfile {
 public:
  StepProfile(const CpuProfileConfig& config, const Program& program, int steps, const Clock* clock)
      : config_(config),
        program_(program),
        steps_(steps),
        clock_(clock),
        times_(clock),
        slots_(config.batch.max_rows / kProfiledBeam),
        search_(ProfiledSearch(kProfiledBeam, steps)),
        divisors_(static_cast<size_t>(search_.max_tokens) + 2, 1.0F) {}

  absl::StatusOr<CpuProfile> Run(const Weights& weights);

 private:
  absl::Status Create(const Weights& weights);
  absl::Status Fill();
  absl::StatusOr<std::vector<CrossPages>> EncodeSources();
  // Returns the size of a step. The costs of its operations are computed from this size.
  OpRows Rows(double self_positions) const;
  // Returns the mean time of a step in seconds, from the time `all` of all timed steps.
  double Mean(Nanos all) const { return static_cast<double>(all) * 1e-9 / steps_; }
  void AddUncounted(const char* name, int64_t launches, Nanos all, CpuProfile* profile) const;

  const CpuProfileConfig config_;
  const Program& program_;
  const int steps_;
  const Clock* const clock_;
  OpTimes times_;
  const int slots_;
  const kernels::SearchOptions search_;
  const std::vector<float> divisors_;
  double kv_bytes_ = 0;  // bytes of an element of K or V in a page
  std::shared_ptr<const Backend> backend_;
  std::unique_ptr<KvMemory> memory_;
  std::unique_ptr<Batch> batch_;
};

absl::Status StepProfile::Create(const Weights& weights) {
  absl::StatusOr<std::shared_ptr<const StepModel>> model =
      CreateCpuModel(program_, weights, config_.type, config_.threads, &times_);
  if (!model.ok()) return model.status();
  kv_bytes_ = (*model)->kv_layout().HostElementBytes();
  backend_ = CreateCpuBackend(*std::move(model));
  PagePlan plan;
  plan.self_pages =
      static_cast<int32_t>(slots_ * kernels::WorstCasePages(search_.beam, search_.max_tokens));
  plan.cross_pages =
      static_cast<int32_t>(slots_ * kernels::KvLayout::PagesFor(kProfiledSourceTokens));
  absl::StatusOr<std::unique_ptr<KvMemory>> memory = backend_->CreateKvMemory(plan);
  if (!memory.ok()) return memory.status();
  memory_ = *std::move(memory);
  // Writes to all pages, so that none gets its physical memory during a timed step.
  std::memset(memory_->pool(), 0, static_cast<size_t>(memory_->bytes()));
  absl::StatusOr<std::unique_ptr<Batch>> batch =
      backend_->CreateBatch(config_.batch, config_.threads, memory_.get());
  if (!batch.ok()) return batch.status();
  batch_ = *std::move(batch);
  return absl::OkStatus();
}

// Encodes one source of random tokens for each slot. The tokens do not affect the model's speed.
absl::StatusOr<std::vector<CrossPages>> StepProfile::EncodeSources() {
  absl::StatusOr<std::unique_ptr<Encoder>> encoder = backend_->CreateEncoder(config_.threads);
  if (!encoder.ok()) return encoder.status();
  int64_t vocabulary = 1;
  for (const Op& op : program_.encoder.ops) {
    if (const auto* embed = std::get_if<EmbedOp>(&op.what)) {
      vocabulary = program_.weight(embed->table).rows;
    }
  }
  std::mt19937 random(1);
  const auto count = static_cast<int32_t>(kernels::KvLayout::PagesFor(kProfiledSourceTokens));
  std::vector<CrossPages> sources;
  for (int slot = 0; slot < slots_; ++slot) {
    std::vector<int32_t> tokens(kProfiledSourceTokens);
    for (int32_t& token : tokens) token = static_cast<int32_t>(random() % vocabulary);
    sources.emplace_back(memory_.get(), memory_->TakeCross(count));
    const int32_t offsets[] = {0, kProfiledSourceTokens};
    const int32_t page_offsets[] = {0, count};
    const absl::Status status = (*encoder)->Encode(
        {tokens.data(), offsets, 1, page_offsets, sources.back().pages().data(), memory_->pool()});
    if (!status.ok()) return status;
  }
  return sources;
}

absl::Status StepProfile::Fill() {
  absl::StatusOr<std::vector<CrossPages>> sources = EncodeSources();
  if (!sources.ok()) return sources.status();
  kernels::SegmentRules rules;
  rules.divisor = divisors_.data();
  for (CrossPages& source : *sources) {
    if (!batch_->HasRoomFor(search_, rules)) {
      return absl::InternalError("profile: the batch has no room for its segments");
    }
    batch_->Admit({search_, rules, kProfiledSourceTokens, std::move(source), false});
  }
  return absl::OkStatus();
}

OpRows StepProfile::Rows(double self_positions) const {
  OpRows rows;
  rows.rows = slots_ * kProfiledBeam;
  rows.segments = slots_;
  rows.self_positions = self_positions;
  rows.source_positions = kProfiledSourceTokens;
  rows.element_bytes = kernels::ElementBytes(kernels::ComputeType::kFloat32);
  rows.weight_bytes = static_cast<double>(kernels::ElementBytes(config_.type));
  rows.kv_bytes = kv_bytes_;
  return rows;
}

void StepProfile::AddUncounted(const char* name, int64_t launches, Nanos all,
                               CpuProfile* profile) const {
  profile->costs.push_back({name, launches, {}});
  profile->seconds.push_back(Mean(all));
}

absl::StatusOr<CpuProfile> StepProfile::Run(const Weights& weights) {
  if (absl::Status status = Create(weights); !status.ok()) return status;
  if (absl::Status status = Fill(); !status.ok()) return status;
  Nanos all = 0;
  int64_t positions = 0;
  for (int i = 0; i < kStepsBeforeProfile + steps_; ++i) {
    if (i == kStepsBeforeProfile) times_.Clear();
    const Nanos begin = clock_->Now();
    const absl::StatusOr<Batch::StepReport> report = batch_->Step({});
    const Nanos took = clock_->Now() - begin;
    if (!report.ok()) return report.status();
    if (i < kStepsBeforeProfile) continue;
    if (report->rows != slots_ * kProfiledBeam) {
      return absl::InternalError(absl::StrCat("profile: found ", report->rows,
                                              " rows in a step, expected ", slots_ * kProfiledBeam,
                                              ": a logit of the model is not a number"));
    }
    all += took;
    positions += i + 1;
  }

  CpuProfile profile;
  profile.rows = Rows(static_cast<double>(positions) / steps_);
  profile.costs = CostsByName(program_.decoder, program_, profile.rows);
  for (const StepCost& cost : profile.costs) profile.seconds.push_back(Mean(times_.Of(cost.name)));
  std::set<std::string_view> products;
  int64_t activations = 0;
  int64_t operands = 0;
  for (const Op& op : program_.decoder.ops) {
    const auto* product = std::get_if<ProductOp>(&op.what);
    if (product == nullptr && !std::holds_alternative<OutputOp>(op.what)) continue;
    products.insert(op.name);
    ++operands;
    if (product != nullptr && !kernels::IsOfProduct(product->activation)) ++activations;
  }
  for (const std::string_view name : products) profile.product_seconds += Mean(times_.Of(name));
  if (config_.type == kernels::ComputeType::kFloat32) operands = 0;
  AddUncounted(kernels::op_part::kOperands, operands, times_.Of(kernels::op_part::kOperands),
               &profile);
  AddUncounted(kernels::op_part::kActivation, activations, times_.Of(kernels::op_part::kActivation),
               &profile);
  AddUncounted(kernels::op_part::kFold, 1, times_.Of(kernels::op_part::kFold), &profile);
  AddUncounted(kAroundTheModel, 1, all - times_.Total(), &profile);
  profile.step_seconds = Mean(all);
  return profile;
}

// Prints the rates in GB/s and GFLOP/s, smaller units than those for GPUs.
std::string RatesText(const DeviceRates& rates) {
  char line[120];
  std::snprintf(line, sizeof(line),
                "copy %.1f GB/s, matrix products %.1f GFLOP/s, both of one thread\n",
                rates.bytes_per_second / 1e9, rates.flop_per_second / 1e9);
  return line;
}

}  // namespace

absl::StatusOr<CpuProfile> MeasureCpuSteps(const CpuProfileConfig& config, const Program& program,
                                           const Weights& weights, int steps, const Clock* clock) {
  if (absl::Status status = CheckProfile(config.batch, program, steps); !status.ok()) {
    return status;
  }
  return OrOutOfMemory("profile: the batch and its K/V",
                       [&] { return StepProfile(config, program, steps, clock).Run(weights); });
}

absl::StatusOr<std::string> ProfileCpuSteps(const CpuProfileConfig& config, const Program& program,
                                            const Weights& weights, int steps, const Clock* clock) {
  const absl::StatusOr<CpuProfile> profile =
      MeasureCpuSteps(config, program, weights, steps, clock);
  if (!profile.ok()) return profile.status();
  const absl::StatusOr<DeviceRates> rates = OrOutOfMemory("profile: measuring copies", [&] {
    return absl::StatusOr<DeviceRates>(MeasureCpuRates(config.type, clock));
  });
  if (!rates.ok()) return rates.status();
  char share[80];
  std::snprintf(share, sizeof(share), "everything except products: %.1f %%\n",
                100 * (1 - profile->product_seconds / profile->step_seconds));
  return absl::StrCat("CPU with ", std::string(kernels::CpuInstructionSet()), ", ", config.threads,
                      config.threads == 1 ? " thread\n" : " threads\n",
                      RowsText(profile->rows, config.type), RatesText(*rates),
                      TableText(profile->costs, *rates, profile->seconds), share);
}

}  // namespace dragoman::engine
