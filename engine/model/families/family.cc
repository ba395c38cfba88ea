#include "engine/model/families/family.h"

#include "engine/model/families/m2m_100.h"
#include "engine/model/families/marian.h"
#include "engine/model/families/mbart.h"
#include "engine/model/families/t5.h"

namespace dragoman {
namespace {

constexpr Family kFamilies[] = {{"marian", MakeMarianNetwork},
                                {"m2m_100", MakeM2m100Network},
                                {"mbart", MakeMbartNetwork},
                                {"t5", MakeT5Network},
                                {"mt5", MakeT5Network}};

}  // namespace

const Family* FindFamily(std::string_view model_type) {
  for (const Family& family : kFamilies) {
    if (family.model_type == model_type) return &family;
  }
  return nullptr;
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
