#include "engine/model/families/family.h"

#include <utility>

#include "engine/model/families/bart.h"
#include "engine/model/families/m2m_100.h"
#include "engine/model/families/marian.h"
#include "engine/model/families/mbart.h"
#include "engine/model/families/pegasus.h"
#include "engine/model/families/t5.h"

namespace dragoman {
namespace {

constexpr Family kFamilies[] = {{"marian", MakeMarianNetwork},   {"m2m_100", MakeM2m100Network},
                                {"mbart", MakeMbartNetwork},     {"bart", MakeBartFamilyNetwork},
                                {"pegasus", MakePegasusNetwork}, {"t5", MakeT5Network},
                                {"mt5", MakeT5Network}};

}  // namespace

const Family* FindFamily(std::string_view model_type) {
  for (const Family& family : kFamilies) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
}

WeightSource SourceOfVocabulary(std::vector<std::string> tensors, int rows, int64_t cols,
                                bool has_empty) {
  const auto of = [cols](int64_t n) {
    return cols == 0 ? std::vector<int64_t>{n} : std::vector<int64_t>{n, cols};
  };
  WeightSource source{{{std::move(tensors), of(has_empty ? rows - 1 : rows)}}, IfAbsent::kRefuse};
  if (has_empty) source.parts.push_back({{}, of(1)});
  return source;
}

std::string FamilyNames() {
  std::string names;
  for (const Family& family : kFamilies) {
    if (!names.empty()) names += ", ";
    names += family.model_type;
  }
  return names;
}

}  // namespace dragoman
