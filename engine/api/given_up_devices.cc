#include "engine/api/given_up_devices.h"

#include <map>
#include <utility>

#include "engine/base/mutex.h"

namespace dragoman::engine {
namespace {

struct GivenUp {
  std::string why;
  std::shared_ptr<void> held;
};

struct Devices {
  Mutex mu;
  std::multimap<int, GivenUp> given_up ABSL_GUARDED_BY(mu);
};

// Never destroyed, because the `held` objects must outlive every destructor of the process.
Devices& All() {
  static auto* const devices = new Devices;
  return *devices;
}

}  // namespace

void GiveUpDevice(int device, std::string why, std::shared_ptr<void> held) {
  Devices& all = All();
  MutexLock lock(&all.mu);
  all.given_up.emplace(device, GivenUp{std::move(why), std::move(held)});
}

std::string WhyGivenUp(int device) {
  Devices& all = All();
  MutexLock lock(&all.mu);
  const auto first = all.given_up.find(device);
  return first == all.given_up.end() ? "" : first->second.why;
}

bool AnyDeviceGivenUp() {
  Devices& all = All();
  MutexLock lock(&all.mu);
  return !all.given_up.empty();
}

}  // namespace dragoman::engine
