// The NVIDIA card of this machine as the system shows it, whether or not CUDA can use it: so a card
// that is there and stays unused is noticed.
//
// Thread-safe.
#pragma once

#include <string>

namespace dragoman::engine {

struct NvidiaCard {
  std::string seen_at;  // a path that shows it, such as "/dev/nvidia0"; "": none does
  std::string driver;   // the version of the loaded kernel module: "535.183.01"; "": none is loaded
};

// Looks in /dev, /proc and /sys, without CUDA. `root` is "", or a directory that stands for /.
NvidiaCard FindNvidiaCard(const std::string& root);

// Says what to do about a card that no CUDA device is made of. `least_driver`: the major
// version of the oldest driver that this build takes, such as 580; 0: the build has no CUDA. Pure.
std::string RemedyFor(const NvidiaCard& card, int least_driver);

}  // namespace dragoman::engine
