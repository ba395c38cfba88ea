#include "tests/bench/bits/record.h"

#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/mixed_requests.h"

namespace dragoman::bench {
namespace {

constexpr unsigned kSeed = 20;
// Few enough requests to fit in the queue, whatever their items are.
constexpr size_t kAtOnce = 64;

std::string Bits(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return absl::StrFormat("%08x", bits);
}

void Write(const engine::Hypothesis& h, std::ostream& out) {
  out << " | " << Bits(h.score) << ' ' << Bits(h.log_prob) << ' '
      << static_cast<int>(h.finish_reason);
  for (const float score : h.token_scores) out << ' ' << Bits(score);
  for (const std::string& token : h.tokens) out << ' ' << token;
  for (const engine::AlignmentLink& link : h.alignment) {
    out << ' ' << link.source.begin << '-' << link.source.end << ':' << link.target.begin << '-'
        << link.target.end;
  }
  out << " \"" << h.text << '"';
}

void Write(const absl::Status& status, const std::vector<engine::ItemResult>& items,
           std::ostream& out) {
  if (!status.ok()) out << ' ' << status.message();
  for (const engine::ItemResult& item : items) {
    if (!item.status.ok()) out << ' ' << item.status.message();
    out << ' ' << item.source_token_count << ' ' << item.target_token_count;
    if (item.seed) out << " seed " << *item.seed;
    for (const engine::Hypothesis& hypothesis : item.hypotheses) Write(hypothesis, out);
  }
  out << '\n';
}

struct Running {
  int kind = 0;
  absl::Status refused;
  std::shared_ptr<testing::CollectingSink> sink;
};

}  // namespace

void RecordBits(engine::Engine& engine, size_t count, std::ostream& out) {
  testing::MixedRequests requests(kSeed);
  const engine::ModelInfo& info = engine.info();
  for (size_t done = 0; done < count;) {
    std::vector<Running> running;
    while (running.size() < kAtOnce && done + running.size() < count) {
      Running& one = running.emplace_back();
      one.sink = std::make_shared<testing::CollectingSink>();
      engine::TranslationJob job = requests.Next(&one.kind);
      // If the model has several language pairs, the requests take them in turn.
      if (info.pairs.size() > 1) {
        const engine::LanguagePair& pair = info.pairs[(done + running.size()) % info.pairs.size()];
        job.source_language = pair.source;
        job.target_language = pair.target;
      }
      one.refused = engine.Translate(std::move(job), one.sink).status;
    }
    for (const Running& one : running) {
      out << done++ << ' ' << one.kind;
      const absl::Status status = one.refused.ok() ? one.sink->Wait() : one.refused;
      Write(status, one.sink->items(), out);
    }
  }
}

}  // namespace dragoman::bench
