// A model on the CPU, its steps made by DecodingBatch.
#pragma once

#include <memory>

#include "engine/decode/backend.h"
#include "engine/decode/step_model.h"

namespace dragoman {

std::shared_ptr<const Backend> CreateCpuBackend(std::shared_ptr<const StepModel> model);

}  // namespace dragoman
