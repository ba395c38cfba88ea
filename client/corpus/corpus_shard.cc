#include "client/corpus/corpus_shard.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/commands/translation_json.h"
#include "client/commands/utf8.h"
#include "client/status_map.h"

namespace dragoman::client {
namespace {

using Clock = std::chrono::steady_clock;

// The result of a text, shared by the records that have it.
struct Entry {
  std::string key;
  bool done = false;
  std::string error;  // "": none
  std::vector<ColumnValue> values;
};

// The results of the latest texts, by text, in bounded memory.
class ResultMemory {
 public:
  explicit ResultMemory(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns the entry of `key`, and whether it is new.
  std::pair<std::shared_ptr<Entry>, bool> Get(std::string key) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return {order_.front(), false};
    }
    auto entry = std::make_shared<Entry>();
    entry->key = std::move(key);
    if (max_bytes_ == 0) return {entry, true};
    order_.push_front(entry);
    by_key_[entry->key] = order_.begin();
    bytes_ += CostOf(*entry);
    return {std::move(entry), true};
  }

  // Adds what the result takes, and forgets the texts that were not used for the longest time.
  void OnDone(const Entry& entry) {
    const auto found = by_key_.find(entry.key);
    if (found == by_key_.end() || found->second->get() != &entry) return;
    for (const ColumnValue& value : entry.values) bytes_ += ValueCost(value);
    while (bytes_ > max_bytes_ && !order_.empty()) {
      const Entry& oldest = *order_.back();
      bytes_ -= CostOf(oldest);
      by_key_.erase(oldest.key);
      order_.pop_back();
    }
  }

 private:
  static size_t ValueCost(const ColumnValue& value) {
    return value.text.size() + sizeof(ColumnValue);
  }
  static size_t CostOf(const Entry& entry) {
    constexpr size_t kNodes = 160;  // of the list and the table
    size_t bytes = entry.key.size() + sizeof(Entry) + kNodes;
    for (const ColumnValue& value : entry.values) bytes += ValueCost(value);
    return bytes;
  }

  const size_t max_bytes_;
  size_t bytes_ = 0;
  std::list<std::shared_ptr<Entry>> order_;  // the latest first
  std::unordered_map<std::string_view, std::list<std::shared_ptr<Entry>>::iterator> by_key_;
};

// Says what an error of one text means for the run.
enum class Failure { kLine, kTryAgain, kAll };

Failure Classify(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kCancelled:
      return Failure::kTryAgain;
    case absl::StatusCode::kResourceExhausted:
      return IsMessageTooLarge(status) ? Failure::kLine : Failure::kTryAgain;
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
      return Failure::kAll;
    default:
      return Failure::kLine;
  }
}

class CorpusShard : public TextSource, public ResultSink {
 public:
  CorpusShard(const ShardOptions& options, const ShardInput& input, const RecordFormat& format,
              const ModelIdentities& models, ShardOutput* output,
              const OnShardProgress& on_progress, std::ostream* err)
      : options_(options),
        input_(input),
        format_(format),
        models_(models),
        output_(*output),
        on_progress_(on_progress),
        err_(*err),
        file_(Decompressor::Create(input.fd, input.compression)),
        memory_(options.reuses_results ? ShardOptions::kMemoryBytes : 0),
        content_digest_(std::make_unique<Sha256>()),
        done_(output->kept()),
        begin_(Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(done_.seconds))),
        block_begin_(Clock::now()) {}

  // Reads past what the output has already. Returns FAILED_PRECONDITION if the input is another one.
  absl::Status Skip() {
    const int64_t wanted = done_.content_bytes;
    while (!file_->ended() && content_bytes_ < wanted) {
      std::string content;
      if (absl::Status status = file_->Read(&content); !status.ok()) return Located(status);
      const auto take = static_cast<size_t>(
          std::min(wanted - content_bytes_, static_cast<int64_t>(content.size())));
      content_digest_->Add(std::string_view(content).substr(0, take));
      content_bytes_ += static_cast<int64_t>(take);
      rest_ = content.substr(take);
      read_bytes_ += static_cast<int64_t>(content.size());
    }
    read_lines_ = done_.lines;
    if (content_bytes_ == wanted &&
        (wanted == 0 || content_digest_->Hex() == done_.content_sha256)) {
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(absl::StrCat(
        input_.name, " does not begin as the one of which a part was translated before"));
  }

  absl::Status Run(TranslationClient* client) {
    absl::Status input = RunTranslate(options_.run, client, this, this);
    if (!end_.ok()) return end_;
    if (!input.ok()) return input;
    WriteFinished();
    if (!end_.ok()) return end_;
    if (done_.lines != read_lines_) {
      return absl::InternalError(
          absl::StrCat(input_.name, ": wrote ", done_.lines, " of ", read_lines_, " lines"));
    }
    return Flush();
  }

  const ShardProgress& done() const { return done_; }
  const Decompressor& file() const { return *file_; }

  // TextSource
  absl::Status Read(std::deque<TextItem>* items) override {
    std::string content = std::exchange(rest_, {});
    const size_t had = content.size();
    if (absl::Status status = file_->Read(&content); !status.ok()) return Located(status);
    read_bytes_ += static_cast<int64_t>(content.size() - had);
    size_t at = 0;
    for (size_t newline; (newline = content.find('\n', at)) != content.npos; at = newline + 1) {
      partial_.append(content, at, newline - at);
      partial_ += '\n';
      AddRecord(std::exchange(partial_, {}), items);
    }
    partial_.append(content, at);
    if (partial_.size() > kMaxTextBytes) {
      Stop(absl::DataLossError(absl::StrCat(input_.name, ":", read_lines_ + 1,
                                            ": the line has more than the ", kMaxTextBytes,
                                            " bytes allowed")));
      return end_;
    }
    if (file_->ended() && !partial_.empty()) AddRecord(std::exchange(partial_, {}), items);
    return absl::OkStatus();
  }
  bool ended() const override {
    return (file_->ended() && rest_.empty() && partial_.empty()) || !end_.ok();
  }
  int fd() const override { return file_->fd(); }
  bool has_buffered() const override { return !rest_.empty() || file_->has_buffered(); }
  bool is_full() const override {
    return records_.size() >= kMaxRecords || records_bytes_ >= TranslateRunOptions::kWindowBytes;
  }

  // ResultSink
  void OnLine(int64_t, LineResult* result) override {
    const std::shared_ptr<Entry> entry = std::move(sent_.front());
    sent_.pop_front();
    entry->done = true;
    if (!result->status.ok()) {
      entry->error = ForPeople(result->status);
      const Failure failure = Classify(result->status);
      if (failure == Failure::kTryAgain) Stop(absl::UnavailableError(entry->error));
      if (failure == Failure::kAll) Stop(result->status);
    } else {
      AddModel(options_.run.score.has_value() ? result->score_model : result->translation.model());
    }
    entry->values = ValuesOf(*result, entry->error);
    memory_.OnDone(*entry);
  }
  void OnIdle() override {
    WriteFinished();
    if (end_.ok() && !block_.empty() && Clock::now() - block_begin_ >= ShardOptions::kBlockAge) {
      if (absl::Status status = Flush(); !status.ok()) Stop(status);
    }
    // The bytes of the file that the finished records have taken, about.
    const double share =
        read_bytes_ == 0 ? 0
                         : static_cast<double>(content_bytes_) / static_cast<double>(read_bytes_);
    on_progress_(Progress(), static_cast<int64_t>(share * static_cast<double>(file_->raw_bytes())));
  }
  bool WantsTicks() const override { return true; }
  bool stopped() const override { return !end_.ok(); }

 private:
  static constexpr size_t kMaxRecords = 1 << 16;
  static constexpr int64_t kReported = 20;

  struct Record {
    std::string bytes;  // with its line feed, if it has one
    RecordFormat::Parsed parsed;
    std::vector<std::shared_ptr<Entry>> entries;
    std::string error;  // why the record cannot be parsed; "": it can
  };

  // Ends the run with this status, unless it ends already.
  void Stop(const absl::Status& status) {
    if (end_.ok()) end_ = status;
  }

  absl::Status Located(const absl::Status& status) {
    const std::string message =
        absl::StrCat(input_.name, ":", read_lines_ + 1, ": ", status.message());
    Stop(absl::IsDataLoss(status) ? absl::DataLossError(message) : absl::UnavailableError(message));
    return end_;
  }

  static std::string_view WithoutNewline(const std::string& bytes) {
    return std::string_view(bytes).substr(0, bytes.size() - (bytes.ends_with('\n') ? 1 : 0));
  }

  void AddRecord(std::string bytes, std::deque<TextItem>* items) {
    ++read_lines_;
    Record& record = records_.emplace_back();
    record.bytes = std::move(bytes);
    records_bytes_ += record.bytes.size();
    auto parsed = format_.Parse(WithoutNewline(record.bytes));
    if (!parsed.ok()) {
      record.error = std::string(parsed.status().message());
      return;
    }
    record.parsed = *std::move(parsed);
    for (const TextItem& item : record.parsed.texts) {
      std::string key = item.text;
      if (options_.run.score.has_value()) (key += '\0') += item.target;
      auto [entry, is_new] = memory_.Get(std::move(key));
      if (is_new && item.text.empty()) {
        entry->done = true;
        entry->values = ValuesOf(LineResult{.source = {}, .empty = true}, "");
        memory_.OnDone(*entry);
      } else if (is_new) {
        ++sent_texts_;
        sent_.push_back(entry);
        items->push_back(item);
      }
      record.entries.push_back(std::move(entry));
    }
  }

  void AddModel(const std::string& model) {
    if (done_.models.contains(model)) return;
    const auto found = models_.find(model);
    done_.models[model] = found == models_.end() ? ModelIdentity() : found->second;
  }

  std::vector<ColumnValue> ValuesOf(const LineResult& result, const std::string& error) const {
    const v1::Translation& translation = result.translation;
    const bool failed = !error.empty();
    const ColumnValue none{"", true};
    std::vector<ColumnValue> values;
    for (const Column column : options_.columns) {
      switch (column) {
        case Column::kTranslation:
          values.push_back(failed ? none : ColumnValue{translation.translated_text()});
          break;
        case Column::kScore: {
          const bool scored = options_.run.score.has_value();
          const bool has = !failed && !result.empty && (scored || translation.has_score());
          const float score = scored ? result.score.score() : translation.score();
          values.push_back(has ? ColumnValue{FloatText(score), true} : none);
          break;
        }
        case Column::kDetected: {
          const std::string& code = translation.detected_language_code();
          values.push_back(code.empty() ? none : ColumnValue{code});
          break;
        }
        case Column::kFinishReason:
          values.push_back(failed || result.empty
                               ? none
                               : ColumnValue{v1::FinishReason_Name(translation.finish_reason())});
          break;
        case Column::kWarnings: {
          std::vector<std::string> codes;
          for (const v1::Warning& warning : translation.warnings()) {
            codes.push_back(v1::Warning::Code_Name(warning.code()));
          }
          values.push_back({absl::StrJoin(codes, ",")});
          break;
        }
        case Column::kError:
          values.push_back(failed ? ColumnValue{error} : none);
          break;
      }
    }
    return values;
  }

  // Writes the records at the front that have all their results.
  void WriteFinished() {
    while (end_.ok() && !records_.empty()) {
      const Record& record = records_.front();
      if (!std::all_of(record.entries.begin(), record.entries.end(),
                       [](const auto& entry) { return entry->done; })) {
        return;
      }
      Write(record);
      records_bytes_ -= record.bytes.size();
      records_.pop_front();
    }
  }

  void Write(const Record& record) {
    ++done_.lines;
    done_.texts += static_cast<int64_t>(record.parsed.texts.size());
    for (const TextItem& item : record.parsed.texts) done_.characters += CountCodePoints(item.text);
    const std::string* error = record.error.empty() ? nullptr : &record.error;
    for (const auto& entry : record.entries) {
      if (error == nullptr && !entry->error.empty()) error = &entry->error;
    }
    if (error != nullptr && !OnFailure(*error)) return;
    content_digest_->Add(record.bytes);
    content_bytes_ += static_cast<int64_t>(record.bytes.size());
    const std::string_view bytes = WithoutNewline(record.bytes);
    if (record.error.empty()) {
      std::vector<std::vector<ColumnValue>> values;
      values.reserve(record.entries.size());
      for (const auto& entry : record.entries) values.push_back(entry->values);
      block_ += format_.Rewrite(bytes, record.parsed, values);
    } else {
      block_ += format_.RewriteMalformed(bytes);
    }
    if (bytes.size() < record.bytes.size()) block_ += '\n';
    ++block_lines_;
    if (block_lines_ >= ShardOptions::kBlockLines || block_.size() >= ShardOptions::kBlockBytes) {
      if (absl::Status status = Flush(); !status.ok()) Stop(status);
    }
  }

  // Returns whether the run goes on.
  bool OnFailure(const std::string& error) {
    ++done_.failures;
    const std::string where = absl::StrCat(input_.name, ":", done_.lines, ": ", error);
    if (done_.failures > options_.max_failed) {
      Stop(absl::DataLossError(options_.max_failed == 0
                                   ? where
                                   : absl::StrCat(where, "; more than ", options_.max_failed,
                                                  " lines failed (--max-failed)")));
      return false;
    }
    if (done_.failures <= kReported) err_ << "dragoman corpus: " << where << "\n";
    if (done_.failures == kReported) err_ << "dragoman corpus: other lines are only counted\n";
    return true;
  }

  const ShardProgress& Progress() {
    done_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    done_.sent = sent_before_ + sent_texts_ - static_cast<int64_t>(sent_.size());
    return done_;
  }

  absl::Status Flush() {
    Progress();
    done_.content_bytes = content_bytes_;
    done_.content_sha256 = content_digest_->Hex();
    const std::string bytes = Compress(std::exchange(block_, {}), input_.output_compression);
    block_lines_ = 0;
    block_begin_ = Clock::now();
    return output_.WriteBlock(bytes, done_);
  }

  const ShardOptions& options_;
  const ShardInput& input_;
  const RecordFormat& format_;
  const ModelIdentities& models_;
  ShardOutput& output_;
  const OnShardProgress& on_progress_;
  std::ostream& err_;
  const std::unique_ptr<Decompressor> file_;

  std::string rest_;     // content that Skip has read too much of
  std::string partial_;  // the beginning of a line
  int64_t read_lines_ = 0;
  int64_t read_bytes_ = 0;  // of the content
  std::deque<Record> records_;
  size_t records_bytes_ = 0;
  ResultMemory memory_;
  std::deque<std::shared_ptr<Entry>> sent_;  // the texts of the run without result, in order
  int64_t sent_texts_ = 0;

  std::unique_ptr<Sha256> content_digest_;  // of the records that are in blocks
  int64_t content_bytes_ = 0;
  std::string block_;
  int64_t block_lines_ = 0;
  ShardProgress done_;
  const int64_t sent_before_ = done_.sent;
  const Clock::time_point begin_;
  Clock::time_point block_begin_;
  absl::Status end_;  // why the run ends early
};

}  // namespace

absl::Status TranslateShard(const ShardOptions& options, const ShardInput& input,
                            const RecordFormat& format, const ModelIdentities& models,
                            TranslationClient* client, ShardOutput* output,
                            const OnShardProgress& on_progress, const ListIdentities& list_models,
                            std::ostream* err) {
  auto shard =
      std::make_unique<CorpusShard>(options, input, format, models, output, on_progress, err);
  if (absl::Status kept = shard->Skip(); absl::IsFailedPrecondition(kept)) {
    if (absl::Status status = output->Restart(); !status.ok()) return status;
    if (lseek(input.fd, 0, SEEK_SET) != 0) {
      return absl::UnavailableError(absl::StrCat(kept.message(), "; run again"));
    }
    shard = std::make_unique<CorpusShard>(options, input, format, models, output, on_progress, err);
  } else if (!kept.ok()) {
    return kept;
  }
  if (absl::Status status = shard->Run(client); !status.ok()) return status;
  const auto now = list_models();
  if (!now.ok()) return now.status();
  for (const auto& [model, identity] : shard->done().models) {
    if (IsUnchanged(*now, model, identity)) continue;
    return absl::UnavailableError(
        absl::StrCat(input.name, ": the model ", model, " has changed in the meantime; run again"));
  }
  nlohmann::ordered_json about = {{"path", input.name}};
  if (input.is_file) {
    auto described = DescribeFile(input.name);
    if (!described.ok()) return described.status();
    about = *std::move(described);
  }
  about["bytes"] = shard->file().raw_bytes();
  about["sha256"] = shard->file().raw_sha256();
  return output->Finish(about, shard->done());
}

}  // namespace dragoman::client
