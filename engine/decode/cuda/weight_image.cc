#include "engine/decode/cuda/weight_image.h"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/narrow.h"

namespace dragoman {
namespace {

// Appends tensors to an image. The first error stays.
class ImageWriter {
 public:
  explicit ImageWriter(WeightImage* image) : image_(image) {}

  const absl::Status& status() const { return status_; }

  // Several arrays as one tensor.
  int64_t Add(const std::string& name, ComputeType type,
              std::initializer_list<std::span<const float>> parts) {
    const int64_t place = Begin();
    for (const std::span<const float> part : parts) Append(name, type, part);
    return place;
  }

  int64_t Begin() {
    std::vector<uint8_t>& bytes = image_->bytes;
    const auto alignment = static_cast<size_t>(kWeightAlignment);
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    return static_cast<int64_t>(bytes.size());
  }

  void Append(const std::string& name, ComputeType type, std::span<const float> values) {
    std::vector<uint8_t>& bytes = image_->bytes;
    const size_t at = bytes.size();
    bytes.resize(at + values.size() * static_cast<size_t>(ElementBytes(type)));
    switch (type) {
      case ComputeType::kFloat32:
        std::memcpy(bytes.data() + at, values.data(), values.size_bytes());
        break;
      case ComputeType::kFloat16:
        Narrow(name, type, values, bytes.data() + at, ToFloat16, FromFloat16);
        break;
      case ComputeType::kBFloat16:
        Narrow(name, type, values, bytes.data() + at, ToBFloat16, FromBFloat16);
        break;
    }
  }

  LinearPlace Add(const std::string& name, const LinearWeights& w) { return Add(name, {&w}); }

  // Matrices with the same input, one below the other.
  LinearPlace Add(const std::string& name, std::initializer_list<const LinearWeights*> parts) {
    LinearPlace place;
    place.weight = Begin();
    for (const LinearWeights* part : parts) {
      place.in = part->weight.cols;
      place.out += part->weight.rows;
      Append(name, image_->type, part->weight.data);
    }
    place.bias = Begin();
    for (const LinearWeights* part : parts) Append(name + " bias", image_->type, part->bias);
    return place;
  }

  NormPlace Add(const std::string& name, const NormWeights& w) {
    return {Add(name + " gamma", ComputeType::kFloat32, {w.gamma}),
            Add(name + " beta", ComputeType::kFloat32, {w.beta})};
  }

  SelfAttentionPlace AddSelf(const std::string& layer, const AttentionWeights& w,
                             const NormWeights& norm) {
    return {Add(layer + "self-attention query, key, value", {&w.query, &w.key, &w.value}),
            Add(layer + "self-attention output", w.output),
            Add(layer + "self-attention norm", norm)};
  }

  FeedForwardPlace AddFeedForward(const std::string& layer, const LinearWeights& up,
                                  const LinearWeights& down, const NormWeights& norm) {
    return {Add(layer + "feed-forward up", up), Add(layer + "feed-forward down", down),
            Add(layer + "feed-forward norm", norm)};
  }

 private:
  void Narrow(const std::string& name, ComputeType type, std::span<const float> values, uint8_t* to,
              uint16_t (*narrow)(float), float (*widen)(uint16_t)) {
    for (size_t i = 0; i < values.size(); ++i) {
      const uint16_t narrowed = narrow(values[i]);
      std::memcpy(to + i * sizeof(narrowed), &narrowed, sizeof(narrowed));
      if (status_.ok() && std::isfinite(values[i]) && !std::isfinite(widen(narrowed))) {
        status_ = absl::InvalidArgumentError(
            absl::StrCat(name, ": the weight ", values[i], " is beyond the range of ",
                         ComputeTypeName(type), "; expected --compute-type ",
                         type == ComputeType::kFloat16 ? "bfloat16 or float32" : "float32"));
      }
    }
  }

  WeightImage* const image_;
  absl::Status status_;
};

}  // namespace

LinearPlace PartOf(const LinearPlace& whole, int parts, int index, ComputeType type) {
  LinearPlace part = whole;
  part.out = whole.out / parts;
  const int64_t first = int64_t{index} * part.out;
  part.weight += first * whole.in * ElementBytes(type);
  part.bias += first * ElementBytes(type);
  return part;
}

absl::StatusOr<WeightImage> MakeWeightImage(const ModelSpec& spec,
                                            const TransformerWeights& weights, ComputeType type) {
  WeightImage image;
  image.type = type;
  ImageWriter writer(&image);

  image.source_embedding = writer.Add("source embedding", type, {weights.source_embedding.data});
  image.target_embedding =
      weights.target_embedding.data.empty()
          ? image.source_embedding
          : writer.Add("target embedding", type, {weights.target_embedding.data});
  image.encoder_positions =
      writer.Add("encoder positions", ComputeType::kFloat32, {weights.encoder_positions.data});
  image.decoder_positions =
      writer.Add("decoder positions", ComputeType::kFloat32, {weights.decoder_positions.data});

  for (size_t l = 0; l < weights.encoder.size(); ++l) {
    const EncoderLayerWeights& w = weights.encoder[l];
    const std::string layer = absl::StrCat("encoder layer ", l, ": ");
    image.encoder.push_back({writer.AddSelf(layer, w.self, w.self_norm),
                             writer.AddFeedForward(layer, w.ffn_up, w.ffn_down, w.ffn_norm)});
  }
  for (size_t l = 0; l < weights.decoder.size(); ++l) {
    const DecoderLayerWeights& w = weights.decoder[l];
    const std::string layer = absl::StrCat("decoder layer ", l, ": ");
    DecoderLayerPlace place;
    place.self = writer.AddSelf(layer, w.self, w.self_norm);
    place.cross = {writer.Add(layer + "cross-attention query", w.cross.query),
                   writer.Add(layer + "cross-attention output", w.cross.output),
                   writer.Add(layer + "cross-attention norm", w.cross_norm)};
    place.ffn = writer.AddFeedForward(layer, w.ffn_up, w.ffn_down, w.ffn_norm);
    image.decoder.push_back(place);
  }

  const auto name_of = [](size_t l) {
    return absl::StrCat("decoder layer ", l, ": cross-attention key, value");
  };
  LinearPlace& cross = image.cross_key_value;
  cross.in = spec.shape.d_model;
  cross.out = 2 * spec.shape.d_model * spec.shape.decoder_layers;
  cross.weight = writer.Begin();
  for (size_t l = 0; l < weights.decoder.size(); ++l) {
    writer.Append(name_of(l), type, weights.decoder[l].cross.key.weight.data);
    writer.Append(name_of(l), type, weights.decoder[l].cross.value.weight.data);
  }
  cross.bias = writer.Begin();
  for (size_t l = 0; l < weights.decoder.size(); ++l) {
    writer.Append(name_of(l), type, weights.decoder[l].cross.key.bias);
    writer.Append(name_of(l), type, weights.decoder[l].cross.value.bias);
  }

  image.output.in = spec.shape.d_model;
  image.output.out = spec.shape.target_vocab;
  image.output.weight = weights.output.data.empty()
                            ? image.target_embedding
                            : writer.Add("output layer", type, {weights.output.data});
  image.output.bias = writer.Add("output layer bias", ComputeType::kFloat32, {weights.output_bias});
  if (!writer.status().ok()) return writer.status();
  return image;
}

}  // namespace dragoman
