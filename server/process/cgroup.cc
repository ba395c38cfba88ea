#include "server/process/cgroup.h"

#include <fstream>

namespace dragoman::server {
namespace {

void AddUpward(const std::string& mount, std::string name, bool unified,
               std::vector<CgroupDirectory>* out) {
  while (true) {
    out->push_back({mount + name, name.empty() ? "/" : name, unified});
    const size_t slash = name.find_last_of('/');
    if (name.empty() || slash == std::string::npos) return;
    name.resize(slash);
  }
}

}  // namespace

std::vector<CgroupDirectory> CgroupDirectories(const std::string& root,
                                               const std::string& controller) {
  std::vector<CgroupDirectory> out;
  std::ifstream groups(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first, second - first) + ",";  // ":cpu,cpuacct,"
    const std::string name = line.substr(second + 1);
    if (controllers == ":,") {
      AddUpward(root + "/sys/fs/cgroup", name, true, &out);
    } else if (controllers.find(":" + controller + ",") == 0 ||
               controllers.find("," + controller + ",") != std::string::npos) {
      AddUpward(root + "/sys/fs/cgroup/" + controller, name, false, &out);
    }
  }
  return out;
}

}  // namespace dragoman::server
