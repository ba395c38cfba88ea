// The description of LibreTranslate's dialect that GET /spec answers with: Swagger 2.0, as
// LibreTranslate's own server has it.
//
// Pure function.
#pragma once

#include <nlohmann/json.hpp>

namespace dragoman {

nlohmann::json LibreTranslateSpec();

}  // namespace dragoman
