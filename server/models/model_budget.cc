#include "server/models/model_budget.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

// Returns the number of processors that the model's settings ask for, or 0 if one of the two
// settings is missing.
int AskedCpus(const ModelSettings& model) { return model.cpu_workers * model.threads_per_worker; }

bool IsOnGpus(const ModelSettings& model) { return !model.devices.cuda.empty(); }

// Models with the same devices.
struct DeviceGroup {
  engine::DeviceRequest devices;
  // `given` is the sum of its models' own fractions, `open` the number of models without one.
  double given = 0;
  int open = 0;

  bool MayBeOnGpu() const { return devices.automatic || !devices.cuda.empty(); }
  void Add(const ModelSettings& model) {
    if (model.own_device_memory_fraction) {
      given += model.device_memory_fraction;
    } else {
      ++open;
    }
  }
};

bool MayMeet(const DeviceGroup& a, const DeviceGroup& b) {
  if (!a.MayBeOnGpu() || !b.MayBeOnGpu()) return false;
  if (a.devices.automatic || b.devices.automatic) return true;
  const std::vector<int>& one = a.devices.cuda;
  const std::vector<int>& two = b.devices.cuda;
  return std::find_first_of(one.begin(), one.end(), two.begin(), two.end()) != one.end();
}

struct DeviceGroups {
  std::vector<DeviceGroup> groups;
  std::vector<size_t> group_of;

  explicit DeviceGroups(const std::vector<ModelSettings>& models) {
    std::map<std::pair<bool, std::vector<int>>, size_t> known;
    for (const ModelSettings& model : models) {
      const engine::DeviceRequest& request = model.devices;
      const auto [at, is_new] = known.try_emplace({request.automatic, request.cuda}, groups.size());
      if (is_new) groups.push_back({request});
      groups[at->second].Add(model);
      group_of.push_back(at->second);
    }
  }
};

// Returns a sum such as "0.5 (a) + 0.6 (b)" of the models that may be on the same GPU as a model of
// `group`.
std::string SumText(const std::vector<ModelSettings>& models, const DeviceGroups& all,
                    const DeviceGroup& group) {
  std::string sum;
  for (size_t j = 0; j < models.size(); ++j) {
    if (!models[j].own_device_memory_fraction || !MayMeet(group, all.groups[all.group_of[j]])) {
      continue;
    }
    absl::StrAppend(&sum, sum.empty() ? "" : " + ", models[j].device_memory_fraction, " (",
                    models[j].model_name, ")");
  }
  return sum;
}

}  // namespace

ModelSettings OnDevices(ModelSettings model, const DevicePlan& plan) {
  model.devices.automatic = false;
  model.devices.cuda = plan.devices.cuda;
  return model;
}

std::vector<int> DivideCpus(int cpus, const std::vector<ModelSettings>& models) {
  std::vector<int> shares(models.size(), 1);
  int rest = cpus;
  int open = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    if (AskedCpus(models[i]) > 0) {
      shares[i] = AskedCpus(models[i]);
    } else if (!IsOnGpus(models[i])) {
      ++open;
      continue;
    }
    rest -= shares[i];
  }
  rest = std::max(rest, open);
  int nth = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    if (AskedCpus(models[i]) > 0 || IsOnGpus(models[i])) continue;
    shares[i] = rest / open + (nth++ < rest % open ? 1 : 0);
  }
  return shares;
}

std::vector<int> DivideTextCpus(int cpus, const std::vector<ModelSettings>& models) {
  std::vector<int> shares = DivideCpus(cpus, models);
  const auto on_gpus = static_cast<int>(std::count_if(models.begin(), models.end(), IsOnGpus));
  for (size_t i = 0; i < models.size(); ++i) {
    if (IsOnGpus(models[i])) shares[i] = std::max(shares[i], cpus / on_gpus);
  }
  return shares;
}

absl::StatusOr<std::vector<double>> DivideDeviceMemory(const std::vector<ModelSettings>& models,
                                                       double fraction) {
  const DeviceGroups all(models);
  // The models that are loaded so far, including model i, by group.
  std::vector<DeviceGroup> loaded;
  for (const DeviceGroup& group : all.groups) loaded.push_back({group.devices});
  std::vector<double> limits;
  for (size_t i = 0; i < models.size(); ++i) {
    const DeviceGroup& own = all.groups[all.group_of[i]];
    loaded[all.group_of[i]].Add(models[i]);
    if (!own.MayBeOnGpu()) {  // shares no GPU with other models
      const bool given = models[i].own_device_memory_fraction;
      limits.push_back(std::min(given ? models[i].device_memory_fraction : fraction, 1.0));
      continue;
    }
    DeviceGroup meets;
    DeviceGroup meets_loaded;
    for (size_t g = 0; g < all.groups.size(); ++g) {
      if (!MayMeet(own, all.groups[g])) continue;
      meets.given += all.groups[g].given;
      meets.open += all.groups[g].open;
      meets_loaded.given += loaded[g].given;
      meets_loaded.open += loaded[g].open;
    }
    const double rest = meets.open == 0 ? 0 : (fraction - meets.given) / meets.open;
    constexpr double kRounding = 1e-9;
    if (meets.given > 1 + kRounding || (meets.open > 0 && rest <= kRounding)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "device-memory-fraction: found ", SumText(models, all, own), " = ", meets.given,
          " on one GPU",
          meets.open == 0 ? "" : absl::StrCat(" and ", meets.open, " models without one"),
          ", expected ", meets.open == 0 ? "at most 1" : absl::StrCat("less than ", fraction)));
    }
    limits.push_back(std::min(meets_loaded.given + meets_loaded.open * rest, 1.0));
  }
  return limits;
}

std::vector<size_t> LoadOrder(const std::vector<ModelSettings>& models) {
  std::vector<size_t> order(models.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [&](size_t i) { return models[i].kv_memory_mb > 0; });
  return order;
}

int64_t HostBytesToCome(int64_t left, const ModelSettings& model,
                        const std::vector<ModelSettings>& to_come) {
  int64_t given = 0;
  int64_t open = 0;
  for (const ModelSettings& other : to_come) {
    if (IsOnGpus(other)) continue;
    given += other.kv_memory_mb * kMiB;
    if (other.kv_memory_mb == 0) ++open;
  }
  if (model.kv_memory_mb > 0) return given;
  return given + std::max<int64_t>(0, left - given) / (open + 1) * open;
}

}  // namespace dragoman::server
