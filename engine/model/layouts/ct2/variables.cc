#include "engine/model/layouts/ct2/variables.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

// The first revision in which encoder and decoder have attributes of their own. In older revisions,
// both have the same attributes.
constexpr int kFirstOfStages = 5;

double NumberOf(const TensorView& view) {
  const auto load = [&view](auto number) {
    std::memcpy(&number, view.data.data(), sizeof(number));
    return static_cast<double>(number);
  };
  switch (view.dtype) {
    case DType::kI8:
      return load(int8_t{});
    case DType::kI16:
      return load(int16_t{});
    case DType::kI32:
      return load(int32_t{});
    default: {
      float value = 0;
      CopyAsF32(view, {&value, 1});
      return double{value};
    }
  }
}

}  // namespace

const TensorView* Ct2Variables::Find(std::string_view name) const {
  const auto found = model_.tensors.find(name);
  return found == model_.tensors.end() ? nullptr : &found->second;
}

bool Ct2Variables::AreOne(std::string_view a, std::string_view b) const {
  const TensorView* const one = Find(a);
  const TensorView* const other = Find(b);
  return one != nullptr && other != nullptr && one->data.data() == other->data.data() &&
         one->shape == other->shape;
}

int Ct2Variables::Size(std::string_view name, size_t dimension, int64_t max) {
  const TensorView* view = Find(name);
  if (view == nullptr) return Fail(name, "is missing");
  if (view->shape.size() != 2 || view->shape[dimension] < 1 || view->shape[dimension] > max) {
    return Fail(name, Concat("has shape ", ShapeString(view->shape), ", expected a matrix of 1 ",
                             "to ", max, dimension == 0 ? " rows" : " columns"));
  }
  return static_cast<int>(view->shape[dimension]);
}

double Ct2Variables::Number(std::string_view name, double absent) {
  const TensorView* view = Find(name);
  if (view == nullptr) return absent;
  if (view->numel() != 1) {
    return Fail(name, Concat("has shape ", ShapeString(view->shape), ", expected one number"));
  }
  const double value = NumberOf(*view);
  if (!std::isfinite(value)) return Fail(name, "is not a finite number");
  return value;
}

std::string Ct2Variables::Text(std::string_view name, std::string absent) {
  const TensorView* view = Find(name);
  if (view == nullptr) return absent;
  if (view->dtype != DType::kI8 || view->shape.size() != 1) {
    Fail(name, Concat("is ", DTypeName(view->dtype), " ", ShapeString(view->shape),
                      ", expected the bytes of a piece"));
    return absent;
  }
  return std::string(reinterpret_cast<const char*>(view->data.data()), view->data.size());
}

double Ct2Variables::Attribute(std::string_view stage, std::string_view name, double absent) {
  const std::string own = Concat(stage, "/", name);
  const bool is_common = Find(own) == nullptr && model_.revision < kFirstOfStages;
  return Number(is_common ? name : std::string_view(own), absent);
}

double Ct2Variables::Agreed(std::string_view name, double absent) {
  const double encoder = Attribute("encoder", name, absent);
  const double decoder = Attribute("decoder", name, absent);
  if (encoder != decoder) {
    Unsupported(Concat("decoder/", name),
                Concat("is ", decoder, " and that of the encoder ", encoder));
  }
  return encoder;
}

int Ct2Variables::Whole(std::string_view stage, std::string_view name, int absent, int64_t min,
                        int64_t max) {
  const double value = Attribute(stage, name, absent);
  if (value >= static_cast<double>(min) && value <= static_cast<double>(max) &&
      std::floor(value) == value) {
    return static_cast<int>(value);
  }
  Fail(Concat(stage, "/", name),
       Concat("is ", value, ", expected a whole number from ", min, " to ", max));
  return absent;
}

int Ct2Variables::Fail(std::string_view name, std::string_view what) {
  return Record(absl::InvalidArgumentError(Concat(file_, ": variable '", name, "' ", what)));
}

int Ct2Variables::Unsupported(std::string_view name, std::string_view what) {
  return Record(absl::UnimplementedError(
      Concat(file_, ": variable '", name, "' ", what, ", which is not supported")));
}

int Ct2Variables::Record(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  return 0;
}

}  // namespace dragoman::engine
