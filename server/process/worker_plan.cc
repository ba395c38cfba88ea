#include "server/process/worker_plan.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

constexpr int kMaxDefaultWorkers = 16;

int CeilDivide(int a, int b) { return std::max(1, (a + b - 1) / b); }

int DefaultThreads(int cpus, int per_cache) {
  int threads = CeilDivide(cpus, kMaxDefaultWorkers);
  if (per_cache <= 1 || per_cache >= cpus) return threads;
  if (threads > per_cache) return per_cache;
  while (per_cache % threads != 0) ++threads;
  return threads;
}

using CpuKey = std::function<int(const Cpu&)>;

// Removes the first `count` processors with the same `key` from `free` and returns them. Returns
// none if there are too few.
std::vector<Cpu> TakeAlike(int count, const CpuKey& key, std::vector<Cpu>* free) {
  for (const Cpu& first : *free) {
    const auto is_alike = [&](const Cpu& cpu) { return key(cpu) == key(first); };
    if (std::count_if(free->begin(), free->end(), is_alike) < count) continue;
    std::vector<Cpu> taken;
    std::vector<Cpu> left;
    const int wanted = key(first);
    for (const Cpu& cpu : *free) {
      const bool takes = key(cpu) == wanted && static_cast<int>(taken.size()) < count;
      (takes ? taken : left).push_back(cpu);
    }
    *free = std::move(left);
    return taken;
  }
  return {};
}

absl::Status Refused(const std::string& found, const std::string& expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("pin: found cores ", found, ", expected ", expected));
}

// Gives each worker its own processors. Returns fewer workers if there are too few processors.
std::vector<engine::WorkerCpus> Divide(std::vector<Cpu> free, const WorkerPlan& plan) {
  std::vector<engine::WorkerCpus> places;
  for (int i = 0; i < plan.workers; ++i) {
    const int threads = plan.threads_per_worker;
    std::vector<Cpu> own = TakeAlike(
        threads, [](const Cpu& cpu) { return cpu.cache; }, &free);
    if (own.empty())
      own = TakeAlike(
          threads, [](const Cpu& cpu) { return cpu.node; }, &free);
    if (own.empty()) break;
    engine::WorkerCpus place;
    place.node = own.front().node;
    for (const Cpu& cpu : own) place.cpus.push_back(cpu.number);
    std::sort(place.cpus.begin(), place.cpus.end());
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace

WorkerPlan PlanWorkers(int cpus, int per_cache, int workers, int threads_per_worker) {
  WorkerPlan plan{workers, threads_per_worker};
  if (plan.workers == 0 && plan.threads_per_worker == 0) {
    plan.threads_per_worker = DefaultThreads(cpus, per_cache);
  }
  if (plan.workers == 0) plan.workers = std::max(1, cpus / plan.threads_per_worker);
  if (plan.threads_per_worker == 0) plan.threads_per_worker = std::max(1, cpus / plan.workers);
  return plan;
}

int TextThreads(int cpus, int asked) { return asked > 0 ? asked : std::max(1, cpus / 4); }

absl::StatusOr<std::vector<engine::WorkerCpus>> PlaceWorkers(const CpuTopology& topology,
                                                             const PinRequest& request,
                                                             const WorkerPlan& plan) {
  if (request.pin == Pinning::kOff) return std::vector<engine::WorkerCpus>();
  const bool is_automatic = request.pin == Pinning::kAuto;
  const auto all = static_cast<int>(topology.cpus.size());
  const bool has_quota = request.cpu_quota > 0 && request.cpu_quota < all;
  if (is_automatic && (topology.Nodes().size() < 2 || has_quota)) {
    return std::vector<engine::WorkerCpus>();
  }
  if (has_quota) {
    return Refused(
        absl::StrCat("where the control group has the time of ", request.cpu_quota, " of ", all,
                     " processors, not processors of its own: all such groups of the machine would "
                     "take the same ones"),
        "a cpuset, or auto or off");
  }

  const int first = std::min(request.first_cpu, all);
  const int count = std::min(request.cpus, all - first);
  std::vector<Cpu> own(topology.cpus.begin() + first, topology.cpus.begin() + first + count);
  std::vector<engine::WorkerCpus> places = Divide(own, plan);
  if (static_cast<int>(places.size()) < plan.workers) {
    // With `auto`, too few processors are no error: the empty result lets the system place the
    // workers, even if there are several nodes.
    if (is_automatic) return std::vector<engine::WorkerCpus>();
    std::vector<int> numbers;
    for (const Cpu& cpu : own) numbers.push_back(cpu.number);
    return Refused(
        absl::StrCat("for ", plan.workers, " workers of ", plan.threads_per_worker, " threads"),
        absl::StrCat("at most ", places.size(), " such workers on the ", count, " of ", all,
                     " processors that are this model's (", CpuListText(numbers),
                     "), each on one node; or auto or off"));
  }
  if (!is_automatic) return places;
  for (engine::WorkerCpus& place : places) {
    place.cpus.clear();
    for (const Cpu& cpu : topology.cpus) {
      if (cpu.node == place.node) place.cpus.push_back(cpu.number);
    }
    std::sort(place.cpus.begin(), place.cpus.end());
  }
  return places;
}

}  // namespace dragoman::server
