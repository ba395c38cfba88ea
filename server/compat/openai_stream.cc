#include "server/compat/openai_stream.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/base/utf8.h"
#include "server/api/adapter_errors.h"
#include "server/call/rpc_status.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

struct Segment {
  int64_t begin = 0;  // bytes of the source
  int64_t end = 0;
  std::string text;
  bool final = false;
};

// One item, assembled from its segments during decoding.
class Item {
 public:
  explicit Item(std::string source) : source_(std::move(source)) {}

  // Returns the piece that can be sent now, which may be empty.
  std::string Put(int number, Segment segment) {
    segments_[number] = std::move(segment);
    std::string piece;
    for (auto at = segments_.find(next_); at != segments_.end(); at = segments_.find(next_)) {
      const Segment& current = at->second;
      if (!begun_) {
        // If sentences are adjacent, only the engine knows whether it puts a space between them.
        const bool touches = next_ > 0 && current.begin == source_at_;
        if (touches || current.begin < source_at_ ||
            current.end > static_cast<int64_t>(source_.size())) {
          return Sent(std::move(piece));
        }
        piece += source_.substr(static_cast<size_t>(source_at_),
                                static_cast<size_t>(current.begin - source_at_));
        begun_ = true;
        sent_of_segment_ = 0;
      }
      // Sends only complete characters.
      const size_t size =
          current.text.size() -
          (current.final ? 0 : static_cast<size_t>(engine::IncompleteUtf8Tail(current.text)));
      if (size > sent_of_segment_) {
        piece += current.text.substr(sent_of_segment_, size - sent_of_segment_);
        sent_of_segment_ = size;
      }
      if (!current.final) break;
      source_at_ = current.end;
      begun_ = false;
      ++next_;
    }
    return Sent(std::move(piece));
  }

  // Returns the rest of the translation. INTERNAL if the translation does not begin with the pieces
  // that were sent.
  absl::StatusOr<std::string> End(const std::string& whole) {
    if (!whole.starts_with(sent_)) {
      return absl::InternalError("the pieces that were sent are not the translation's beginning");
    }
    return whole.substr(sent_.size());
  }

 private:
  std::string Sent(std::string piece) {
    sent_ += piece;
    return piece;
  }

  const std::string source_;
  std::map<int, Segment> segments_;
  int next_ = 0;  // the segment that is being sent
  bool begun_ = false;
  size_t sent_of_segment_ = 0;
  int64_t source_at_ = 0;
  std::string sent_;
};

class OpenAiStream final : public StreamRenderer {
 public:
  explicit OpenAiStream(OpenAiStreamFacts facts) : facts_(std::move(facts)) {
    for (std::string& source : facts_.sources) items_.emplace_back(std::move(source));
  }

  HttpResponse Head() override {
    return {.content_type = "text/event-stream; charset=utf-8",
            .headers = {{"Cache-Control", "no-cache"}}};
  }

  std::string Message(const v1::StreamTranslateResponse& message) override {
    std::string events;
    if (!message.request_id().empty()) id_ = OpenAiId(facts_.is_chat, message.request_id());
    const auto index = static_cast<size_t>(message.item());
    if (message.has_timings() || index >= items_.size() || !failed_.ok()) return events;
    if (!message.has_translation()) {
      AddText(index,
              items_[index].Put(message.segment(), {.begin = message.source_begin(),
                                                    .end = message.source_end(),
                                                    .text = message.text(),
                                                    .final = message.final()}),
              &events);
      return events;
    }
    if (message.has_error()) {
      failed_ = FromRpcStatus(message.error());
      return events;
    }
    const v1::Translation& translation = message.translation();
    usage_.Add(translation);
    absl::StatusOr<std::string> rest = items_[index].End(translation.translated_text());
    if (!rest.ok()) {
      failed_ = rest.status();
      return events;
    }
    AddText(index, *std::move(rest), &events);
    json choice = {
        {"index", index},
        {"logprobs", nullptr},
        {"finish_reason", translation.finish_reason() == v1::LENGTH ? "length" : "stop"}};
    if (facts_.is_chat) {
      choice["delta"] = json::object();
    } else {
      choice["text"] = "";
    }
    AddChunk(json::array({std::move(choice)}), nullptr, &events);
    return events;
  }

  absl::Status Status() override { return failed_; }

  std::string End(const absl::Status& status) override {
    if (!status.ok()) return "data: " + DumpJson(facts_.error(status)) + "\n\n";
    std::string events;
    if (facts_.with_usage) AddChunk(json::array(), usage_.Json(), &events);
    return events + "data: [DONE]\n\n";
  }

 private:
  void AddText(size_t index, std::string text, std::string* events) {
    if (text.empty()) return;
    json choice = {{"index", index}, {"logprobs", nullptr}, {"finish_reason", nullptr}};
    if (facts_.is_chat) {
      choice["delta"] = {{"content", std::move(text)}};
      if (begun_.insert(index).second) choice["delta"]["role"] = "assistant";
    } else {
      choice["text"] = std::move(text);
    }
    AddChunk(json::array({std::move(choice)}), nullptr, events);
  }

  void AddChunk(json choices, json usage, std::string* events) const {
    json chunk = {{"id", id_},
                  {"object", facts_.is_chat ? "chat.completion.chunk" : "text_completion"},
                  {"created", facts_.created},
                  {"model", facts_.model},
                  {"choices", std::move(choices)}};
    if (facts_.with_usage) chunk["usage"] = std::move(usage);
    events->append("data: ").append(DumpJson(chunk)).append("\n\n");
  }

  OpenAiStreamFacts facts_;
  std::vector<Item> items_;
  std::set<size_t> begun_;  // choices whose first piece was sent
  std::string id_;
  OpenAiUsage usage_;
  absl::Status failed_;
};

}  // namespace

void OpenAiUsage::Add(const v1::Translation& translation) {
  prompt += translation.tokens().source_size();
  completion += translation.tokens().target_size();
  for (const v1::Alternative& alternative : translation.alternatives()) {
    completion += alternative.tokens().target_size();
  }
}

json OpenAiUsage::Json() const {
  return {{"prompt_tokens", prompt},
          {"completion_tokens", completion},
          {"total_tokens", prompt + completion}};
}

std::string OpenAiId(bool is_chat, const std::string& request_id) {
  return (is_chat ? "chatcmpl-" : "cmpl-") + request_id;
}

std::unique_ptr<StreamRenderer> MakeOpenAiStream(OpenAiStreamFacts facts) {
  return std::make_unique<OpenAiStream>(std::move(facts));
}

}  // namespace dragoman::server
