// Simulates a device that fails while a program runs, for tests of what still works afterwards.
#pragma once

namespace dragoman::testing {

// Makes a kernel of this process write to an invalid address. From then on, every call of the
// process that uses the device fails. Returns when the kernel has ended.
void FailDevice();

}  // namespace dragoman::testing
