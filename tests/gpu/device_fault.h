// A device that fails under a running program, for tests of what is left standing then.
#pragma once

namespace dragoman::testing {

// Makes a kernel of this process write where there is no memory. From then on every call of the
// process that uses the device fails. Returns when the kernel has ended.
void FailDevice();

}  // namespace dragoman::testing
