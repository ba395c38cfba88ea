#include "server/process/version_text.h"

#include <link.h>

#include <climits>
#include <cstdlib>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/version.h"
#include "server/call/detect/open_detector.h"

namespace dragoman::server {
namespace {

// Returns the file names of the loaded libraries. Follows links, because the names of the real
// files end in full versions.
std::set<std::string> LoadedLibraries() {
  std::set<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t /*size*/, void* data) {
        const std::string_view path = info->dlpi_name;
        // The program itself has no name, and the kernel's vDSO has no file.
        if (path.find('/') == std::string_view::npos) return 0;
        char real[PATH_MAX];
        const std::string_view file = realpath(info->dlpi_name, real) != nullptr ? real : path;
        static_cast<std::set<std::string>*>(data)->emplace(file.substr(file.rfind('/') + 1));
        return 0;
      },
      &names);
  return names;
}

}  // namespace

std::string VersionText(bool verbose, const engine::EngineBuild& engine) {
  std::string out = absl::StrCat("dragomand ", kVersion, "\n");
  if (!verbose) return out;
  const auto line = [&out](absl::string_view name, absl::string_view value) {
    std::string left(name.data(), name.size());
    left.resize(18, ' ');
    absl::StrAppend(&out, left, value, "\n");
  };
  line("compiler", kCompiler);
  line("build", kBuild);
  line("devices", engine.cuda ? absl::StrCat("CPU, CUDA ", kCudaArchitectures) : "CPU");
  line("instruction set",
       absl::StrCat(engine.instruction_set, ", of ", absl::StrJoin(engine.instruction_sets, " ")));
  line("detection", *DetectionLibrary() == '\0' ? "none" : DetectionLibrary());
  line("compiled in", kCompiledIn);
  absl::string_view name = "libraries";
  for (const std::string& library : LoadedLibraries()) {
    line(name, library);
    name = "";
  }
  return out;
}

}  // namespace dragoman::server
