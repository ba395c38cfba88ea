#include "server/base/quoted.h"

#include <cstring>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

constexpr size_t kMaxQuoted = 64;

}  // namespace

std::string Quoted(std::string_view value) { return absl::StrCat("'", Printable(value), "'"); }

std::string Printable(std::string_view value) {
  std::string out;
  for (const char c : value.substr(0, kMaxQuoted)) out += (c >= 0x20 && c <= 0x7E) ? c : '?';
  if (value.size() > kMaxQuoted) out += "...";
  return out;
}

std::string ErrorText(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof(buffer));
}

}  // namespace dragoman::server
