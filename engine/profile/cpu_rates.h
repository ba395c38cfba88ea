// The best rates of one thread of this CPU, measured: the denominators of a profile.
#pragma once

#include "engine/base/clock.h"
#include "engine/network/cost_table.h"
#include "kernels/base/compute_type.h"

namespace dragoman {

// Copies more memory than caches hold, and multiplies 128 rows by matrices of 512 x 2048 numbers
// that stay in cache; turning the rows into operands is not counted. The best of several times, for
// the machine may have other work. Takes a quarter of a gigabyte, given back on return. REQUIRES:
// the CPU has products of this type.
DeviceRates MeasureCpuRates(ComputeType type, const Clock* clock);

}  // namespace dragoman
