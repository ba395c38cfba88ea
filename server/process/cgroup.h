// The control groups that bound this process.
#pragma once

#include <string>
#include <vector>

namespace dragoman::server {

struct CgroupDirectory {
  std::string path;     // where its files are
  std::string name;     // within its hierarchy: "/" or "/kubepods/pod1"
  bool unified = true;  // cgroup v2; else v1, of the controller's own hierarchy
};

// The groups from the process's own up to the root, because limits of a group bind all below it; of
// both hierarchies where there are two. Directories that are not mounted are listed too: their
// files cannot be read. `root` is "" but in tests, where it holds proc/self/cgroup and
// sys/fs/cgroup.
std::vector<CgroupDirectory> CgroupDirectories(const std::string& root,
                                               const std::string& controller);

}  // namespace dragoman::server
