// Finds the control groups that limit this process.
#pragma once

#include <string>
#include <vector>

namespace dragoman::server {

struct CgroupDirectory {
  std::string path;     // the directory that has the group's files
  std::string name;     // the group's path in its hierarchy, such as "/kubepods/pod1"
  bool unified = true;  // cgroup v2; false: v1, in the controller's own hierarchy
};

// Returns the groups from the process's own up to the root, because the limits of a group bind all
// groups below it. Covers both hierarchies (v1 and v2) if there are two. A directory in the result
// might not be mounted. `root` is "" except in tests, where it has proc/self/cgroup and
// sys/fs/cgroup.
std::vector<CgroupDirectory> CgroupDirectories(const std::string& root,
                                               const std::string& controller);

}  // namespace dragoman::server
