#include "server/models/model_budget.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/api/devices.h"

namespace dragoman {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// 0: the model says nothing, or but half of it.
int AskedCpus(const ModelSettings& model) { return model.cpu_workers * model.threads_per_worker; }

bool IsOnNamedGpus(const ModelSettings& model) { return !ConfiguredDevices(model).cuda.empty(); }

bool MayBeOnGpu(const ModelSettings& model) {
  const DeviceRequest request = ConfiguredDevices(model);
  return request.automatic || !request.cuda.empty();
}

bool MayMeet(const ModelSettings& a, const ModelSettings& b) {
  if (!MayBeOnGpu(a) || !MayBeOnGpu(b)) return false;
  const DeviceRequest one = ConfiguredDevices(a);
  const DeviceRequest two = ConfiguredDevices(b);
  if (one.automatic || two.automatic) return true;
  return std::find_first_of(one.cuda.begin(), one.cuda.end(), two.cuda.begin(), two.cuda.end()) !=
         one.cuda.end();
}

}  // namespace

std::vector<int> DivideCpus(int cpus, const std::vector<ModelSettings>& models) {
  std::vector<int> shares(models.size(), 1);
  int rest = cpus;
  int open = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    if (AskedCpus(models[i]) > 0) {
      shares[i] = AskedCpus(models[i]);
    } else if (!IsOnNamedGpus(models[i])) {
      ++open;
      continue;
    }
    rest -= shares[i];
  }
  rest = std::max(rest, open);
  int nth = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    if (AskedCpus(models[i]) > 0 || IsOnNamedGpus(models[i])) continue;
    shares[i] = rest / open + (nth++ < rest % open ? 1 : 0);
  }
  return shares;
}

absl::StatusOr<std::vector<double>> DivideDeviceMemory(const std::vector<ModelSettings>& models,
                                                       double fraction) {
  std::vector<double> limits;
  for (size_t i = 0; i < models.size(); ++i) {
    double given = 0;
    int open = 0;
    std::string sum;
    for (size_t j = 0; j < models.size(); ++j) {
      if (i != j && !MayMeet(models[i], models[j])) continue;
      if (models[j].own_device_memory_fraction) {
        given += models[j].device_memory_fraction;
        absl::StrAppend(&sum, sum.empty() ? "" : " + ", models[j].device_memory_fraction, " (",
                        models[j].model_name, ")");
      } else {
        ++open;
      }
    }
    const double rest = open == 0 ? 0 : (fraction - given) / open;
    constexpr double kRounding = 1e-9;
    if (given > 1 + kRounding || (open > 0 && rest <= kRounding)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "device-memory-fraction: found ", sum, " = ", given, " on one GPU",
          open == 0 ? "" : absl::StrCat(" and ", open, " models without one"), ", expected ",
          open == 0 ? "at most 1" : absl::StrCat("less than ", fraction)));
    }
    double limit = 0;
    for (size_t j = 0; j <= i; ++j) {
      if (i != j && !MayMeet(models[i], models[j])) continue;
      limit += models[j].own_device_memory_fraction ? models[j].device_memory_fraction : rest;
    }
    limits.push_back(std::min(limit, 1.0));
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
    if (IsOnNamedGpus(other)) continue;
    given += other.kv_memory_mb * kMiB;
    if (other.kv_memory_mb == 0) ++open;
  }
  if (model.kv_memory_mb > 0) return given;
  return given + std::max<int64_t>(0, left - given) / (open + 1) * open;
}

}  // namespace dragoman
