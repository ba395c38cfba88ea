// A copy of a model of tests/data/models for tests of broken models.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/model/layouts/model_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/test_files.h"

namespace dragoman::engine {

// The directory of a small model with changes. null removes a field.
class ModelDirectory {
 public:
  explicit ModelDirectory(const std::string& model) {
    const std::string from = DRAGOMAN_SOURCE_DIR "/tests/data/models/" + model;
    for (const auto& entry : std::filesystem::directory_iterator(from)) {
      std::filesystem::copy_file(entry.path(), at_.path() + "/" + entry.path().filename().string());
    }
  }

  ModelDirectory& Change(const std::string& file, const nlohmann::json& changes) {
    nlohmann::json fields = nlohmann::json::parse(ReadTestFile(at_.path() + "/" + file));
    for (const auto& [key, value] : changes.items()) {
      if (value.is_null()) {
        fields.erase(key);
      } else {
        fields[key] = value;
      }
    }
    at_.Write(file, fields.dump());
    return *this;
  }
  ModelDirectory& Remove(const std::string& file) {
    at_.Remove(file);
    return *this;
  }
  ModelDirectory& Write(const std::string& file, std::string_view bytes) {
    at_.Write(file, bytes);
    return *this;
  }
  std::string Read(const std::string& file) const { return ReadTestFile(at_.path() + "/" + file); }
  // Keeps only the first `bytes` of the file.
  ModelDirectory& Cut(const std::string& file, size_t bytes) {
    return Write(file, Read(file).substr(0, bytes));
  }

  const std::string& path() const { return at_.path(); }
  absl::StatusOr<LoadedModel> Load() const { return LoadModel(at_.path()); }
  std::string Refusal() const {
    const auto model = Load();
    EXPECT_FALSE(model.ok());
    EXPECT_THAT(std::string(model.status().message()), ::testing::HasSubstr(at_.path()));
    return model.status().ToString();
  }

 private:
  TempDirectory at_;
};

}  // namespace dragoman::engine
