#include "tests/engine/support/scripted_model.h"

#include <algorithm>
#include <cmath>

namespace dragoman::testing {
namespace {

constexpr kernels::KvLayout kLayout = ScriptedModel::kLayout;

// Returns the position within its page of the source's token `index`.
int64_t PlaceInPage(int64_t index) {
  return kLayout.CrossK(0, 0) + index % kernels::kPagePositions;
}

class ScriptedEncoder : public engine::Encoder {
 public:
  // `model` may be nullptr.
  explicit ScriptedEncoder(const ScriptedModel* model) : model_(model) {}

  absl::Status Encode(const engine::EncodeInput& in) override {
    if (model_ != nullptr && model_->before_encode) {
      if (absl::Status status = model_->before_encode(in.segments); !status.ok()) return status;
    }
    auto* const pool = static_cast<float*>(in.pool);
    for (int64_t s = 0; s < in.segments; ++s) {
      const int32_t* const pages = in.pages + in.page_offsets[s];
      for (int64_t i = 0; i < in.offsets[s + 1] - in.offsets[s]; ++i) {
        pool[pages[i / kernels::kPagePositions] * kLayout.ElementsPerPage() + PlaceInPage(i)] =
            static_cast<float>(in.tokens[in.offsets[s] + i]);
      }
    }
    return absl::OkStatus();
  }
  int64_t max_tokens() const override { return 512; }

 private:
  const ScriptedModel* model_;
};

class ScriptedDecoder : public engine::Decoder {
 public:
  ScriptedDecoder(const ScriptedModel* model, const Script* script)
      : model_(model), script_(script) {}

  absl::Status Step(const engine::StepInput& in, kernels::LogitSummary* summaries) override {
    if (model_->before_step) {
      if (absl::Status status = model_->before_step(in.rows.count); !status.ok()) {
        return status;
      }
    }
    for (int64_t r = 0; r < in.rows.count; ++r) {
      const int32_t slot = in.rows.slot[r];
      const kernels::SlotView& view = in.slots[slot];
      std::vector<int32_t> prefix;
      prefix.reserve(static_cast<size_t>(in.rows.position[r]));
      for (int32_t i = 0; i < in.rows.position[r]; ++i) {
        prefix.push_back(view.Token(in.rows.lane[r], i));
      }
      if (r == 0 || slot != in.rows.slot[r - 1]) ReadSource(in.cross, slot);
      FoldLogits((*script_)(source_, prefix), in.requests[r], summaries[r]);
    }
    // The scripted alignment moves over the source from left to right.
    for (size_t i = 0; i < in.align.size(); ++i) {
      const int32_t row = in.align[i].row;
      in.aligned[i] =
          static_cast<uint16_t>(in.rows.position[row] % in.cross.source_length[in.rows.slot[row]]);
    }
    return absl::OkStatus();
  }

 private:
  void ReadSource(const kernels::CrossKvTables& cross, int32_t slot) {
    const auto* const pool = static_cast<const float*>(cross.pool);
    const int32_t* const pages = cross.pages + int64_t{slot} * cross.pages_per_slot;
    source_.clear();
    for (int32_t i = 0; i < cross.source_length[slot]; ++i) {
      const int64_t page = pages[i / kernels::kPagePositions] * kLayout.ElementsPerPage();
      source_.push_back(static_cast<int32_t>(pool[page + PlaceInPage(i)]));
    }
  }

  const ScriptedModel* model_;
  const Script* script_;
  std::vector<int32_t> source_;
};

}  // namespace

engine::CrossPages EncodeScripted(std::span<const int32_t> source, engine::KvMemory* memory) {
  const int32_t offsets[] = {0, static_cast<int32_t>(source.size())};
  const int32_t page_offsets[] = {0, static_cast<int32_t>(kernels::KvLayout::PagesFor(offsets[1]))};
  engine::CrossPages pages(memory, memory->TakeCross(page_offsets[1]));
  const engine::EncodeInput input{source.data(),        offsets,       1, page_offsets,
                                  pages.pages().data(), memory->pool()};
  (void)ScriptedEncoder(nullptr).Encode(input);  // cannot fail
  return pages;
}

void FoldLogits(const std::vector<float>& logits, const kernels::LogitRequest& request,
                kernels::LogitSummary& summary) {
  kernels::TopList list{summary.top, request.k, 0};
  for (size_t i = 0; i < logits.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const float x = logits[i] * request.scale;
    if (std::isnan(x)) summary.nan = true;
    if (request.logits != nullptr) request.logits[i] = logits[i];
    const bool masked = kernels::IsMasked(request, id);
    if (kernels::Contains(request.excluded, id) || (masked && request.mask_first)) continue;
    kernels::Merge(summary.normaliser, kernels::LogSum{x, x == -INFINITY ? 0.0F : 1.0F});
    if (!masked && !kernels::Contains(request.wanted, id)) kernels::Insert(list, {x, id});
  }
  summary.count = list.count;
  for (int32_t i = 0; i < request.wanted.count; ++i) {
    const int32_t id = request.wanted.ids[i];
    const bool struck = kernels::Contains(request.excluded, id) ||
                        (request.mask_first && kernels::IsMasked(request, id));
    summary.wanted[i] = struck ? -INFINITY : logits[static_cast<size_t>(id)] * request.scale;
  }
}

std::unique_ptr<engine::Encoder> ScriptedModel::CreateEncoder(int) const {
  return std::make_unique<ScriptedEncoder>(this);
}

std::unique_ptr<engine::Decoder> ScriptedModel::CreateDecoder(int, int) const {
  return std::make_unique<ScriptedDecoder>(this, &script_);
}

}  // namespace dragoman::testing
