#include "engine/model/families/family.h"

namespace dragoman {

// A row for each file; messages name the families in this order.
extern const Family kMarian, kM2m100, kMbart, kBart, kPegasus, kFsmt, kT5, kMt5, kUmt5;
constexpr const Family* kFamilies[] = {&kMarian, &kM2m100, &kMbart, &kBart, &kPegasus,
                                       &kFsmt,   &kT5,     &kMt5,   &kUmt5};

const Family* FindFamily(std::string_view model_type) {
  for (const Family* family : kFamilies) {
    if (family->model_type == model_type) return family;
  }
  return nullptr;
}

std::string FamilyNames() {
  std::string names;
  for (const Family* family : kFamilies) {
    if (!names.empty()) names += ", ";
    names += family->model_type;
  }
  return names;
}

}  // namespace dragoman
