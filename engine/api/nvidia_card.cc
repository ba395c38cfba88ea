#include "engine/api/nvidia_card.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dragoman::engine {
namespace {

namespace fs = std::filesystem;

std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Finds the first entry of the directory whose name `accept` accepts, and stores the name in *name.
// Returns false if there is none; *name is then undefined.
template <class Accept>
bool FindEntry(const fs::path& directory, Accept accept, std::string* name) {
  std::error_code error;
  // A directory_iterator becomes the end iterator if an operation fails.
  for (fs::directory_iterator it(directory, error), end; it != end; it.increment(error)) {
    *name = it->path().filename().string();
    if (accept(*name)) return true;
    if (error) return false;
  }
  return false;
}

// Accepts "nvidia0", but neither "nvidiactl" nor "nvidia-uvm".
bool IsCardNode(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  return name.size() > kPrefix.size() && name.substr(0, kPrefix.size()) == kPrefix &&
         std::isdigit(static_cast<unsigned char>(name[kPrefix.size()])) != 0;
}

// Returns a path that exists because of a card; "" if there is none.
std::string SeenAt(const std::string& root) {
  std::string name;
  if (FindEntry(root + "/dev", IsCardNode, &name)) return "/dev/" + name;
  const auto any = [](std::string_view) { return true; };
  if (FindEntry(root + "/proc/driver/nvidia/gpus", any, &name)) {
    return "/proc/driver/nvidia/gpus/" + name;
  }
  // PCI class 0x03 is a display or 3D controller. The card's audio device has another class.
  const std::string devices = "/sys/bus/pci/devices/";
  const auto is_nvidia = [&](const std::string& device) {
    const fs::path at = fs::path(root + devices) / device;
    return FirstLine(at / "vendor") == "0x10de" && FirstLine(at / "class").rfind("0x03", 0) == 0;
  };
  if (FindEntry(root + devices, is_nvidia, &name)) return devices + name;
  // WSL has no device node for a card. It has this file if the graphics driver of Windows is
  // NVIDIA's.
  const std::string windows = "/usr/lib/wsl/lib/libcuda.so.1";
  std::error_code error;
  return fs::exists(root + windows, error) ? windows : "";
}

// Finds "535.183.01" in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May ...".
std::string DriverIn(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  for (const std::string& word : words) {
    const bool is_version = std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
                            word.find('.') != std::string::npos &&
                            word.find_first_not_of("0123456789.") == std::string::npos;
    if (is_version) return word;
  }
  return "";
}

}  // namespace

NvidiaCard FindNvidiaCard(const std::string& root) {
  NvidiaCard card;
  card.seen_at = SeenAt(root);
  card.driver = DriverIn(FirstLine(root + "/proc/driver/nvidia/version"));
  return card;
}

std::string RemedyFor(const NvidiaCard& card, int least_driver) {
  if (least_driver == 0) {
    return "build dragomand where there is a CUDA compiler, or take the image of "
           "docker/Dockerfile.cuda";
  }
  const std::string needed = absl::StrCat(least_driver, " or newer");
  if (card.driver.empty()) {
    return absl::StrCat("no NVIDIA driver is loaded: install driver ", needed);
  }
  if (std::atoi(card.driver.c_str()) < least_driver) {
    return absl::StrCat("found NVIDIA driver ", card.driver, ", expected ", needed,
                        ": update it, or take a build with an older CUDA (docker/README.md)");
  }
  return absl::StrCat("NVIDIA driver ", card.driver,
                      " is new enough: in a container, start it with --gpus all (NVIDIA Container "
                      "Toolkit); elsewhere, nvidia-smi must list the card");
}

}  // namespace dragoman::engine
