// Which models are to be served other than flags and --config say: the contents of --models-file
// (models_file.h), and what AdminService changes in it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

namespace dragoman {

// Settings as texts, by the names of flags: the form of LoadModelRequest.
using SettingTexts = std::map<std::string, std::string>;

struct DesiredCanary {
  std::string directory;
  SettingTexts settings;
  int share = 0;  // of its name's calls, in parts of 10,000
  bool operator==(const DesiredCanary&) const = default;
};

struct DesiredModel {
  std::string directory;  // "": that of the flags
  SettingTexts settings;
  std::optional<DesiredCanary> canary;
  bool operator==(const DesiredModel&) const = default;
};

struct DesiredModels {
  std::map<std::string, DesiredModel> models;  // by name
  std::set<std::string> unloaded;
  bool operator==(const DesiredModels&) const = default;
};

}  // namespace dragoman
