#include "server/metrics/version_metrics.h"

#include <utility>

namespace dragoman {

std::string CanaryLabel(const std::string& name) { return name + "@canary"; }

void VersionMetrics::MoveTo(std::string label, std::shared_ptr<ModelMetrics> metrics) {
  MutexLock lock(&mu_);
  label_ = std::move(label);
  metrics_.swap(metrics);  // the old ones are let go of after the lock
}

std::string VersionMetrics::label() const {
  MutexLock lock(&mu_);
  return label_;
}

std::shared_ptr<ModelMetrics> VersionMetrics::metrics() const {
  MutexLock lock(&mu_);
  return metrics_;
}

}  // namespace dragoman
