// Like absl::StrCat, but also accepts std::string_view. In Debian's abseil, absl::string_view is a
// different type.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace dragoman::engine {

template <typename... Parts>
std::string Concat(const Parts&... parts) {
  const auto known = []<typename Part>(const Part& part) -> decltype(auto) {
    if constexpr (std::is_same_v<Part, std::string_view>) {
      return absl::string_view(part.data(), part.size());
    } else {
      return (part);
    }
  };
  return absl::StrCat(known(parts)...);
}

}  // namespace dragoman::engine
