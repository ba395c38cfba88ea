#include "engine/request/glossaries.h"

#include <utility>

namespace dragoman {

absl::Status Glossaries::Load(const Tokenizer& tokenizer, LoadContext* load) {
  if (directory_.empty()) return absl::OkStatus();
  absl::StatusOr<GlossaryDirectory> loaded = LoadGlossaries(directory_, load);
  if (!loaded.ok()) return loaded.status();
  for (const auto& [name, glossary] : loaded->glossaries) {
    if (absl::Status status = glossary->CheckTargets(tokenizer, load); !status.ok()) return status;
  }
  auto now = std::make_shared<const GlossaryDirectory>(*std::move(loaded));
  MutexLock lock(&mu_);
  loaded_.swap(now);  // the old one is let go outside of the lock
  return absl::OkStatus();
}

std::shared_ptr<const Glossary> Glossaries::Find(std::string_view name) const {
  MutexLock lock(&mu_);
  if (loaded_ == nullptr) return nullptr;
  const auto found = loaded_->glossaries.find(name);
  return found == loaded_->glossaries.end() ? nullptr : found->second;
}

std::vector<std::string> Glossaries::Names() const {
  std::vector<std::string> names;
  MutexLock lock(&mu_);
  if (loaded_ == nullptr) return names;
  for (const auto& [name, glossary] : loaded_->glossaries) names.push_back(name);
  return names;
}

}  // namespace dragoman
