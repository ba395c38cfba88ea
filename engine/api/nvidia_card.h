// Finds out whether this machine has an NVIDIA card, even if CUDA cannot use it, so that the server
// can warn about an unused card.
//
// Thread-safe.
#pragma once

#include <string>

namespace dragoman::engine {

struct NvidiaCard {
  std::string seen_at;  // a path that exists because of the card: "/dev/nvidia0"; "": no card
  std::string driver;   // version of the loaded kernel module, "535.183.01"; "": none is loaded
};

// Looks in /dev, /proc and /sys, and does not use CUDA. In tests, `root` is a directory that
// replaces "/". Otherwise it is "".
NvidiaCard FindNvidiaCard(const std::string& root);

// Returns advice on how to make the card usable for CUDA. `least_driver` is the major version of
// the oldest driver that this build supports, such as 580; 0: the build has no CUDA. Pure.
std::string RemedyFor(const NvidiaCard& card, int least_driver);

}  // namespace dragoman::engine
