// A scripted engine with loaded glossaries.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/api/glossary_terms.h"
#include "tests/server/fake_engine.h"

namespace dragoman::server {

class FakeGlossary final : public engine::GlossaryTerms {
 public:
  explicit FakeGlossary(std::vector<std::pair<std::string, std::string>> terms)
      : terms_(std::move(terms)) {}
  size_t size() const override { return terms_.size(); }
  engine::GlossaryEntry entry(size_t i) const override {
    return {terms_[i].first, terms_[i].second};
  }

 private:
  const std::vector<std::pair<std::string, std::string>> terms_;
};

class GlossaryEngine final : public FakeEngine, public engine::GlossarySource {
 public:
  // Call only before the engine is used.
  void AddGlossary(const std::string& name,
                   std::vector<std::pair<std::string, std::string>> terms) {
    mutable_info()->glossaries.push_back(name);
    glossaries_[name] = std::make_shared<const FakeGlossary>(std::move(terms));
  }

  std::shared_ptr<const engine::GlossaryTerms> FindGlossary(std::string_view name) const override {
    const auto at = glossaries_.find(std::string(name));
    return at == glossaries_.end() ? nullptr : at->second;
  }

 private:
  std::map<std::string, std::shared_ptr<const engine::GlossaryTerms>> glossaries_;
};

}  // namespace dragoman::server
