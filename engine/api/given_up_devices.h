// Records the GPUs that this process no longer uses, because a kernel did not end within its time
// limit. Nothing can stop such a kernel, so a wait for the device or a release of its memory never
// returns.
//
// Thread-safe. Devices are numbers as in "cuda:0". A device stays given up until the process ends.
#pragma once

#include <memory>
#include <string>

namespace dragoman::engine {

// Gives the device up for the reason `why`. `held` owns the objects whose destruction would wait
// for the device. They are never destroyed.
void GiveUpDevice(int device, std::string why, std::shared_ptr<void> held);

// Returns the reason why the device was given up; "" if it was not.
std::string WhyGivenUp(int device);

// Reports whether any device was given up. Then the process must end by _exit, because at a regular
// exit the driver would wait for the kernel.
bool AnyDeviceGivenUp();

}  // namespace dragoman::engine
