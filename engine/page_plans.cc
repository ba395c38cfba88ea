#include "engine/page_plans.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/search/plan.h"

namespace dragoman::engine {
namespace {

// If no setting gives the size of the K/V pages, they take this fraction of the free memory. The
// rest is for memory that is not counted, such as fragmentation in the allocator.
constexpr int64_t kShareNumerator = 9;
constexpr int64_t kShareDenominator = 10;

int64_t MiB(int64_t bytes) { return bytes / (1 << 20); }

// Returns the size of needed memory in MiB, rounded up.
int64_t NeededMiB(int64_t bytes) { return MiB(bytes + (1 << 20) - 1); }

// The bytes of host memory that are needed in addition to the K/V pages.
struct HostNeeds {
  int64_t weights = 0;
  int64_t text = 0;  // vocabularies, tokenizer, glossaries
  int64_t workspaces = 0;
  int64_t other_models = 0;
  int64_t reserved = 0;
  int64_t of_models() const { return weights + text + workspaces + other_models; }
  int64_t sum() const { return of_models() + reserved; }
};

std::string TextOf(const HostNeeds& needs) {
  const std::string others = absl::StrCat(NeededMiB(needs.other_models), " MiB of other models, ");
  const std::string text =
      absl::StrCat(NeededMiB(needs.text), " MiB of vocabularies and glossaries, ");
  return absl::StrCat(NeededMiB(needs.weights), " MiB of weights, ", needs.text > 0 ? text : "",
                      needs.other_models > 0 ? others : "", NeededMiB(needs.workspaces),
                      " MiB of workspaces and ", NeededMiB(needs.reserved),
                      " MiB for requests and the process");
}

}  // namespace

void LimitLoad(const EngineConfig& config, LoadMemory* memory) {
  const HostMemory& host = config.memory;
  if (host.most == 0) return;
  const int64_t now = host.now > 0 ? std::min(host.now, host.most) : host.most;
  const std::string others =
      host.loaded_models > 0
          ? absl::StrCat(", of which other models hold ", NeededMiB(host.loaded_models), " MiB")
          : "";
  // The limit leaves the reserve for requests free. But it is at least half of the memory that
  // other models and the process without requests leave free. Otherwise a small machine could load
  // nothing, and a model could not be loaded again while its older version holds its largest K/V.
  const int64_t beside_all = now - host.loaded_models - host.reserved_now;
  const int64_t half = (now - host.loaded_models - host.process) / 2;
  memory->SetLimit(
      std::max(beside_all, half),
      absl::StrCat(
          host.most_of, " has ", MiB(now), now < host.most ? " MiB now" : " MiB", others,
          host.loaded_models > 0 ? " and " : ", of which ", "requests and the process ",
          NeededMiB(host.reserved_now), " MiB",
          half > beside_all ? "; half of what is left beside the process may be used" : ""));
}

absl::StatusOr<LoadMemory::Hold> CheckWeightsFit(int64_t parameters, int64_t bytes,
                                                 const EngineConfig& config, LoadMemory* load) {
  std::set<int> nodes;  // NUMA nodes; each has its own copy of the weights
  for (const WorkerCpus& worker : config.placement) nodes.insert(worker.node);
  const auto copies = std::max<int64_t>(1, static_cast<int64_t>(nodes.size()));
  const HostMemory& memory = config.memory;
  const int64_t beside = load->kept() + memory.process;
  const bool fits =
      memory.most == 0 || copies * bytes <= memory.most - memory.loaded_models - beside;
  // If the load holds files in memory that it has decompressed, files and weights together must not
  // exceed the limit that LimitLoad set. That limit leaves room for calls.
  if (fits && load->held() > 0) return load->Reserve(copies * bytes, "the packed weights");
  if (fits) return load->Count(copies * bytes);
  const std::string for_nodes =
      copies > 1 ? absl::StrCat(" for each of ", copies, " nodes of memory") : "";
  const std::string with =
      beside > 0 ? absl::StrCat(", and vocabularies and the process ", NeededMiB(beside), " MiB")
                 : "";
  const std::string loaded =
      absl::StrCat(", of which other models hold ", NeededMiB(memory.loaded_models), " MiB");
  return absl::ResourceExhaustedError(absl::StrCat(
      "the model has ", parameters, " parameters, whose weights take ", NeededMiB(bytes),
      " MiB in ", kernels::ComputeTypeName(config.devices.compute_type), for_nodes, with, ", and ",
      memory.most_of, " has ", MiB(memory.most), " MiB", memory.loaded_models > 0 ? loaded : ""));
}

absl::StatusOr<std::vector<PagePlan>> PlanPagesOfPlaces(
    const std::vector<WorkerPlace>& places, const ModelSpec& spec, int max_source_tokens,
    const BatchConfig& batch, int64_t text_bytes, const EngineConfig& config) {
  int workers = 0;
  HostNeeds needs;
  needs.text = text_bytes;
  needs.other_models = config.memory.loaded_models + config.memory.models_to_come;
  needs.reserved = config.memory.reserved;
  bool on_host = false;
  for (const WorkerPlace& place : places) {
    workers += place.workers;
    if (place.backend->host_page_bytes() == 0) continue;
    on_host = true;
    needs.weights += place.backend->info().weight_bytes;
    needs.workspaces += place.workers * place.backend->HostWorkspaceBytes(
                                            batch, MostThreadsOfWorker(config, place));
  }
  const HostMemory& memory = config.memory;
  const int64_t given = config.kv_memory_mb << 20;
  if (on_host && memory.most > 0 && given > 0 && given > memory.most - needs.sum()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("kv-memory-mb is ", config.kv_memory_mb, ", expected at most ",
                     MiB(std::max<int64_t>(memory.most - needs.sum(), 0)), ": with ", TextOf(needs),
                     " the sum is ", NeededMiB(given + needs.sum()), " MiB, and ", memory.most_of,
                     " has ", MiB(memory.most), " MiB"));
  }

  // The most tokens of an output, without the start token, which max_length counts too.
  const int longest =
      std::max(1, std::min(spec.generation.max_length - 1, spec.shape.max_positions));
  const int widest_beam = std::min(config.max_rows, kernels::kMaxBeam);
  const int default_beam = std::clamp(spec.generation.num_beams, 1, widest_beam);
  PageRequest request;
  request.max_rows = config.max_rows;
  request.bytes = given / workers;
  request.longest_source = static_cast<int32_t>(kernels::KvLayout::PagesFor(max_source_tokens));
  request.widest_segment = kernels::WorstCasePages(widest_beam, longest);
  request.default_segment = kernels::WorstCasePages(default_beam, longest);
  if (on_host && memory.most > 0) {
    const int64_t now = memory.now > 0 ? std::min(memory.now, memory.most) : memory.most;
    // K/V pages get at least half of the memory that models leave free, even if the rest is then
    // too small for the reserve for requests. In that case the caller must report that the sum
    // exceeds the limit.
    const int64_t left = std::max(now - needs.sum(), (now - needs.of_models()) / 2) /
                         kShareDenominator * kShareNumerator;
    request.most_bytes = std::max<int64_t>(left / workers, 1);
  }

  std::vector<PagePlan> plans;
  for (const WorkerPlace& place : places) {
    absl::StatusOr<PagePlan> plan = place.backend->PlanPages(request);
    if (!plan.ok()) return plan.status();
    if (plan->self_pages < request.default_segment) {
      const std::string what =
          given > 0 ? absl::StrCat("kv-memory-mb is ", config.kv_memory_mb)
                    : absl::StrCat(memory.most_of, " has ",
                                   MiB(memory.now > 0 ? memory.now : memory.most),
                                   " MiB now, of which too little is left beside ", TextOf(needs));
      std::string message = absl::StrCat(
          what, ", which leaves ", plan->self_pages, " pages of self-attention K/V for each of ",
          workers, " workers; expected at least ", request.default_segment,
          " for the default beam of ", default_beam, " and ", longest, " tokens of output",
          given > 0 ? "" : " (fewer --cpu-workers or --max-rows need less)");
      if (given > 0) return absl::InvalidArgumentError(std::move(message));
      return absl::ResourceExhaustedError(std::move(message));
    }
    plans.push_back(*plan);
  }
  return plans;
}

}  // namespace dragoman::engine
