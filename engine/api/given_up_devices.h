// GPUs that no longer answer this process: a kernel did not end in its time, and nothing but the end
// of the process stops it. What waits for such a device waits for ever, and freeing its memory waits.
//
// Thread-safe. Devices are numbers as in "cuda:0"; a device stays given up until the process ends.
#pragma once

#include <memory>
#include <string>

namespace dragoman::engine {

// `why` is for whoever asks for the device later. `held` owns what must not be destroyed, for that
// would wait: it is kept until the process ends.
void GiveUpDevice(int device, std::string why, std::shared_ptr<void> held);

// Says why the device was given up, or "".
std::string WhyGivenUp(int device);

// Whether any was: the process must then end by _exit, for the driver waits at a regular end.
bool AnyDeviceGivenUp();

}  // namespace dragoman::engine
