#include "tests/engine/text/sentencepiece/spm_oracle.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

namespace dragoman::engine {
namespace {

class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const std::vector<std::string>& lines) : lines_(lines) {}
  bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return lines_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& lines_;
  size_t at_ = 0;
};

}  // namespace

struct SpmOracle::Impl {
  sentencepiece::SentencePieceProcessor processor;
};

std::unique_ptr<SpmOracle> SpmOracle::Load(std::string_view bytes) {
  auto oracle = std::make_unique<SpmOracle>();
  oracle->impl_ = std::make_unique<Impl>();
  if (!oracle->impl_->processor.LoadFromSerializedProto(bytes).ok()) return nullptr;
  return oracle;
}

SpmOracle::~SpmOracle() = default;

std::vector<SpmOracle::Token> SpmOracle::Encode(std::string_view text) const {
  std::vector<Token> tokens;
  const auto encoded = impl_->processor.EncodeAsImmutableProto(text);
  for (const auto& piece : encoded.pieces()) {
    tokens.push_back({piece.piece(), piece.begin(), piece.end()});
  }
  return tokens;
}

std::string SpmOracle::Decode(const std::vector<std::string>& pieces) const {
  return impl_->processor.DecodePieces(pieces);
}

std::vector<std::string> SpmOracle::AllPieces() const {
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<size_t>(impl_->processor.GetPieceSize()));
  for (int i = 0; i < impl_->processor.GetPieceSize(); ++i) {
    pieces.push_back(impl_->processor.IdToPiece(i));
  }
  return pieces;
}

std::string SpmOracle::Train(std::string_view args, const std::vector<std::string>& lines) {
  std::string model;
  Lines iterator(lines);
  const auto status = sentencepiece::SentencePieceTrainer::Train(args, &iterator, &model);
  return status.ok() ? model : std::string();
}

}  // namespace dragoman::engine
