#include "tests/gpu/ptx/names.h"

#include <array>
#include <cctype>
#include <cstdlib>

namespace dragoman::ptx {
namespace {

Width WidthOf(const std::string& type) {
  if (type == "pred") return Width::kPredicate;
  switch (TypeBytes(type)) {
    case 1:
    case 2:
      return Width::k16;
    case 4:
      return Width::k32;
    default:
      return Width::k64;
  }
}

uint32_t Aligned(uint32_t offset, uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

bool IsImmediate(const std::string& text) {
  return std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-';
}

uint64_t ImmediateOf(const std::string& text) {
  const bool is_float = text.size() > 2 && text[0] == '0' &&
                        (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D');
  if (is_float) return std::strtoull(text.c_str() + 2, nullptr, 16);
  if (text[0] == '-') return static_cast<uint64_t>(std::strtoll(text.c_str(), nullptr, 0));
  return std::strtoull(text.c_str(), nullptr, 0);
}

}  // namespace

uint32_t TypeBytes(const std::string& type) {
  static const std::map<std::string, uint32_t> kBytes = {
      {"b8", 1},   {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2},  {"s16", 2},   {"f16", 2},
      {"bf16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4},  {"f16x2", 4}, {"bf16x2", 4},
      {"b64", 8},  {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16}};
  const auto found = kBytes.find(type);
  if (found == kBytes.end()) throw BadProgram("type '" + type + "' is not known");
  return found->second;
}

Names::Declared Names::NewRegister(Width width) {
  const uint32_t words = width == Width::k64 ? 64 : width == Width::kPredicate ? 1 : 32;
  const Declared declared{kernel_->file_words, width};
  // Registers begin on cache lines. For simplicity, single words do as well.
  constexpr uint32_t kLineWords = 16;
  kernel_->file_words += Aligned(words, kLineWords);
  return declared;
}

void Names::DeclareRegisters(const std::string& type, const std::string& name) {
  const size_t range = name.find('<');
  if (range == std::string::npos) {
    scopes_.back()[name] = NewRegister(WidthOf(type));
  } else {
    ranges_[name.substr(0, range)] = {WidthOf(type), std::atoi(name.c_str() + range + 1)};
  }
}

void Names::AddParameter(const std::string& name, uint32_t bytes, uint32_t alignment) {
  const uint32_t offset = Aligned(kernel_->parameter_bytes, alignment);
  parameters_[name] = offset;
  kernel_->parameters.push_back({bytes, offset});
  kernel_->parameter_bytes = offset + bytes;
}

void Names::AddShared(const std::string& name, uint32_t bytes, uint32_t alignment) {
  const uint32_t offset = Aligned(kernel_->static_shared_bytes, alignment);
  shared_[name] = offset;
  kernel_->static_shared_bytes = offset + bytes;
}

void Names::AddLocal(const std::string& name, uint32_t bytes, uint32_t alignment) {
  const uint32_t offset = Aligned(kernel_->local_bytes, alignment);
  local_[name] = offset;
  kernel_->local_bytes = offset + bytes;
}

const Names::Declared* Names::FindRegister(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found != scope->end()) return &found->second;
  }
  size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
  const auto range = ranges_.find(name.substr(0, digits));
  if (range == ranges_.end() || digits == name.size()) return nullptr;
  if (std::atoi(name.c_str() + digits) >= range->second.second) return nullptr;
  return &(scopes_.front()[name] = NewRegister(range->second.first));
}

Place Names::AddPreset(std::vector<Preset>* presets, uint64_t value, Width width) {
  const Declared declared = NewRegister(width);
  if (width == Width::k16) value &= 0xffff;
  if (width == Width::k32) value &= 0xffffffff;
  presets->push_back({declared.place, width, value});
  return declared.place;
}

Place Names::Operand(const std::string& text, Width width, Width* found) {
  if (text.empty()) throw BadProgram("an operand is missing");
  if (const Declared* const declared = FindRegister(text)) {
    if (found != nullptr) *found = declared->width;
    return declared->place;
  }
  if (found != nullptr) *found = width;
  const auto key = std::make_pair(text, width);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  Place place = kNowhere;
  if (IsImmediate(text)) {
    place = AddPreset(&kernel_->immediates, ImmediateOf(text), width);
  } else if (text[0] == '%') {
    const Declared declared = NewRegister(width);
    kernel_->special.push_back({declared.place, width, text});
    place = declared.place;
  } else if (parameters_.contains(text)) {
    place = AddPreset(&kernel_->parameter_addresses, parameters_[text], width);
  } else if (shared_.contains(text)) {
    place = AddPreset(&kernel_->shared_addresses, shared_[text], width);
  } else if (local_.contains(text)) {
    place = AddPreset(&kernel_->local_addresses, local_[text], width);
  } else if (text == dynamic_shared_) {
    place = AddPreset(&kernel_->dynamic_shared_addresses, 0, width);
  } else {
    throw BadProgram("'" + text + "' is not declared");
  }
  known_[key] = place;
  return place;
}

Place Names::Register(const std::string& text, Width* found) {
  const Declared* const declared = FindRegister(text);
  if (declared == nullptr) throw BadProgram("'" + text + "' is not a declared register");
  *found = declared->width;
  return declared->place;
}

Names::Address Names::At(const std::string& text, Width width) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') {
    throw BadProgram("'" + text + "' is not an address, expected [base+offset]");
  }
  std::string base = text.substr(1, text.size() - 2);
  Address address;
  const size_t plus = base.find('+');
  if (plus != std::string::npos) {
    address.offset = std::strtoll(base.c_str() + plus + 1, nullptr, 0);
    base.resize(plus);
  }
  address.base = Operand(base, width, &address.width);
  return address;
}

}  // namespace dragoman::ptx
