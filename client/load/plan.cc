#include "client/load/plan.h"

#include <algorithm>
#include <cmath>

namespace dragoman::client {

Plan Estimate(const PlanMeasurement& measured, const PlanWish& wish) {
  Plan plan;
  plan.characters_per_core_second = static_cast<double>(measured.characters) / measured.cpu_seconds;
  const double asked = plan.characters_per_core_second * wish.utilisation;
  plan.cores = wish.characters_per_second / asked;
  plan.core_hours_per_million = 1e6 / asked / 3600;
  // The tolerance is for rounding errors: 1.4 cores at a utilisation of 0.7 would be a little more
  // than 2.
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
