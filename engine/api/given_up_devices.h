// Records the GPUs that this process has given up because a kernel did not end in its time. Nothing
// stops such a kernel, so waiting for the device or freeing its memory never returns.
//
// Thread-safe. Devices are numbers as in "cuda:0". A device stays given up until the process ends.
#pragma once

#include <memory>
#include <string>

namespace dragoman::engine {

// Gives the device up. `held` owns the objects whose destruction would wait for the device. It is
// kept until the process ends.
void GiveUpDevice(int device, std::string why, std::shared_ptr<void> held);

// Returns why the device was given up, or "".
std::string WhyGivenUp(int device);

// If true, the process must end by _exit, because the driver waits for the kernel at a regular end.
bool AnyDeviceGivenUp();

}  // namespace dragoman::engine
