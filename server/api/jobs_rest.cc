#include "server/api/jobs_rest.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/job_files.h"
#include "server/api/json_body.h"
#include "server/api/proto_json.h"
#include "server/api/request_fields.h"
#include "server/base/quoted.h"
#include "server/call/jobs/job_calls.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

constexpr std::string_view kJobs = "/v1/jobs";
constexpr std::string_view kUpload = "/v1/jobs:upload";
constexpr std::string_view kResult = "/result";

HttpResponse Answer(const google::protobuf::Message& message) {
  HttpResponse response = JsonTextResponse(200, WriteProtoJson(message));
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

template <typename Message>
absl::StatusOr<AdapterAction> AnswerOf(const absl::StatusOr<Message>& message) {
  if (!message.ok()) return message.status();
  return Answer(*message);
}

// Reads the query into `values`, whose keys are the parameters that may come.
absl::Status ReadParameters(const HttpRequest& request,
                            std::map<std::string, std::string, std::less<>>* values) {
  const absl::StatusOr<Form> query = ReadQuery(request);
  if (!query.ok()) return query.status();
  for (const FormField& field : query->fields()) {
    const auto found = values->find(field.name);
    if (found == values->end()) {
      std::string expected;
      for (const auto& [name, value] : *values) absl::StrAppend(&expected, " ", name);
      return InvalidField("", absl::StrCat("found the query parameter ", Quoted(field.name),
                                           ", expected", expected.empty() ? " none" : expected));
    }
    found->second = field.value;
  }
  return absl::OkStatus();
}

absl::Status CheckBytes(const HttpRequest& request) {
  if (MediaType(request) == "application/octet-stream") return absl::OkStatus();
  return InvalidField("", absl::StrCat("content-type: found ", Quoted(MediaType(request)),
                                       ", expected application/octet-stream"));
}

class JobsAdapter final : public Adapter {
 public:
  explicit JobsAdapter(const AdapterContext& context) : calls_(*context.calls) {}

  Api api() const override { return Api::kDragoman; }
  std::string Key(const HttpRequest& request) const override {
    return AuthorizationKey(request, "Bearer");
  }
  HttpResponse Error(const HttpRequest& /*request*/, const absl::Status& status) const override {
    return NeutralError(status);
  }

  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override {
    if (request.path == kUpload) return Upload(request, client);
    if (request.path == kJobs) {
      std::map<std::string, std::string, std::less<>> none;
      if (absl::Status status = ReadParameters(request, &none); !status.ok()) return status;
      if (request.method == "POST") return Create(request, client);
      return AnswerOf(ListJobs(calls_, client));
    }
    std::string id = request.path.substr(kJobs.size() + 1);
    if (request.method == "PUT") return Append(request, client, id);
    if (request.method == "DELETE") {
      v1::DeleteJobRequest in;
      in.set_id(id);
      return AnswerOf(DeleteJob(calls_, client, in));
    }
    const bool is_result = id.ends_with(kResult);
    if (is_result) id.resize(id.size() - kResult.size());
    v1::GetJobRequest in;
    in.set_id(id);
    const absl::StatusOr<v1::Job> job = GetJob(calls_, client, in);
    if (!is_result || !job.ok()) return AnswerOf(job);
    absl::StatusOr<HttpResponse> result = ResultOfJob(calls_, client, *job);
    if (!result.ok()) return result.status();
    return *std::move(result);
  }

 private:
  absl::StatusOr<AdapterAction> Create(const HttpRequest& request, const Client* client) const {
    if (absl::Status status = CheckJsonType(request); !status.ok()) return status;
    v1::CreateJobRequest in;
    if (absl::Status status = ReadProtoJson(request.body, &in); !status.ok()) return status;
    return AnswerOf(CreateJob(calls_, client, std::move(in)));
  }

  absl::StatusOr<AdapterAction> Upload(const HttpRequest& request, const Client* client) const {
    if (absl::Status status = CheckBytes(request); !status.ok()) return status;
    std::map<std::string, std::string, std::less<>> values = {{"fields", ""},
                                                              {"format", ""},
                                                              {"model", ""},
                                                              {"name", ""},
                                                              {"retranslate", ""},
                                                              {"source_language_code", ""},
                                                              {"target_language_code", ""}};
    if (absl::Status status = ReadParameters(request, &values); !status.ok()) return status;
    v1::CreateJobRequest in;
    in.set_name(values["name"]);
    in.set_format(values["format"]);
    if (!values["fields"].empty()) {
      for (const auto field : absl::StrSplit(values["fields"], ','))
        in.add_fields(std::string(field));
    }
    const std::string& retranslate = values["retranslate"];
    if (!retranslate.empty() && retranslate != "true" && retranslate != "false") {
      return InvalidField("retranslate",
                          absl::StrCat("found ", Quoted(retranslate), ", expected true or false"));
    }
    in.set_retranslate(retranslate == "true");
    in.mutable_request()->set_source_language_code(values["source_language_code"]);
    in.mutable_request()->set_target_language_code(values["target_language_code"]);
    in.mutable_request()->set_model(values["model"]);
    return AnswerOf(CreateJobWith(calls_, client, std::move(in), request.body));
  }

  absl::StatusOr<AdapterAction> Append(const HttpRequest& request, const Client* client,
                                       const std::string& id) const {
    if (absl::Status status = CheckBytes(request); !status.ok()) return status;
    std::map<std::string, std::string, std::less<>> values = {{"offset", "0"}};
    if (absl::Status status = ReadParameters(request, &values); !status.ok()) return status;
    const std::string& text = values["offset"];
    int64_t offset = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
    if (error != std::errc() || end != text.data() + text.size()) {
      return InvalidField("offset", absl::StrCat("found ", Quoted(text), ", expected a number"));
    }
    v1::AppendToJobRequest in;
    in.set_id(id);
    in.set_offset(offset);
    in.set_data(request.body);
    return AnswerOf(AppendToJob(calls_, client, in));
  }

  const CallContext& calls_;
};

}  // namespace

std::unique_ptr<Adapter> MakeJobsAdapter(const AdapterContext& context) {
  return std::make_unique<JobsAdapter>(context);
}

std::vector<AdapterRoute> JobsRoutes() {
  return {{.method = "POST", .path = kUpload, .rpc = RpcMethod::kCreateJob},
          {.method = "POST", .path = kJobs, .rpc = RpcMethod::kCreateJob},
          {.method = "GET", .path = kJobs, .rpc = RpcMethod::kListJobs},
          {.method = "GET", .path = "/v1/jobs/*", .rpc = RpcMethod::kGetJob},
          {.method = "PUT", .path = "/v1/jobs/*", .rpc = RpcMethod::kAppendToJob},
          {.method = "DELETE", .path = "/v1/jobs/*", .rpc = RpcMethod::kDeleteJob}};
}

}  // namespace dragoman::server
