#include "engine/api/cuda_options.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace dragoman::engine {

absl::Status TurnOff(std::string_view names, CudaOptions* options) {
  if (names.empty()) return absl::OkStatus();
  for (const absl::string_view name :
       absl::StrSplit(absl::string_view(names.data(), names.size()), ',')) {
    const CudaPart* const part =
        std::find_if(std::begin(kCudaParts), std::end(kCudaParts),
                     [name](const CudaPart& known) { return name == known.name; });
    if (part == std::end(kCudaParts)) {
      return absl::InvalidArgumentError(absl::StrCat(
          kCudaOffVariable, ": found '", name, "', expected some of ",
          absl::StrJoin(kCudaParts, ", ",
                        [](std::string* out, const CudaPart& known) { out->append(known.name); })));
    }
    options->*(part->member) = false;
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
