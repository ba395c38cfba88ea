#include "tests/client/scripted_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "dragoman/v1/translation.grpc.pb.h"

namespace dragoman::client {

v1::TranslateResponse Bracketed(const v1::TranslateRequest& request) {
  v1::TranslateResponse response;
  for (int i = 0; i < request.contents_size(); ++i) {
    v1::Translation* translation = response.add_translations();
    translation->set_translated_text("<" + request.contents(i) + ">");
    translation->set_model("scripted");
    translation->set_index(i);
    translation->set_finish_reason(v1::EOS);
  }
  return response;
}

class ScriptedServer::Service final : public v1::TranslationService::Service {
 public:
  Service(Handler handler, StreamHandler stream_handler, ScriptedServer* owner)
      : handler_(std::move(handler)),
        stream_handler_(std::move(stream_handler)),
        owner_(*owner),
        calls_(owner->calls_) {}

  grpc::Status Translate(grpc::ServerContext* context, const v1::TranslateRequest* request,
                         v1::TranslateResponse* response) override {
    ++calls_;
    WaitWhileHeld(*context);
    ScriptedReply reply;
    if (handler_) {
      reply = handler_(*request);
    } else {
      reply.response = Bracketed(*request);
    }
    *response = reply.response;
    return End(context, reply);
  }

  grpc::Status StreamTranslate(grpc::ServerContext* context, const v1::TranslateRequest* request,
                               grpc::ServerWriter<v1::StreamTranslateResponse>* writer) override {
    ++calls_;
    WaitWhileHeld(*context);
    const auto write = [writer](const v1::StreamTranslateResponse& message) {
      writer->Write(message);
    };
    return End(context, stream_handler_(*request, write));
  }

  grpc::Status Score(grpc::ServerContext* context, const v1::ScoreRequest* request,
                     v1::ScoreResponse* response) override {
    ++calls_;
    WaitWhileHeld(*context);
    for (int i = 0; i < request->pairs_size(); ++i) {
      v1::PairScore* score = response->add_scores();
      score->set_index(i);
      score->set_score(-static_cast<float>(request->pairs(i).target().size()));
    }
    response->set_model("opus-de-en");
    return grpc::Status::OK;
  }

  grpc::Status DetectLanguage(grpc::ServerContext* context, const v1::DetectLanguageRequest*,
                              v1::DetectLanguageResponse*) override {
    WaitWhileHeld(*context);
    return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "detects no languages");
  }

  grpc::Status ListModels(grpc::ServerContext* context, const v1::ListModelsRequest*,
                          v1::ListModelsResponse* response) override {
    WaitWhileHeld(*context);
    v1::Model* model = response->add_models();
    model->set_name("opus-de-en");
    model->set_is_default(true);
    model->add_pairs()->set_source_language_code("de");
    model->mutable_pairs(0)->set_target_language_code("en");
    model->set_decoder_layers(6);
    model->set_decoder_heads(8);
    model->set_default_profile(v1::DecodingOptions::CT2);
    model->add_glossaries("law");
    model->add_glossaries("names");
    model->add_notes("a card is not used");
    model->set_state(v1::Model::SERVING);
    model->set_version(3);
    model->set_checksum(owner_.checksum());
    v1::DeviceMemory* memory = model->add_memory();
    memory->set_device("cpu");
    memory->set_weights(10 << 20);
    memory->set_kv(20 << 20);
    memory->set_workspace(30 << 20);
    memory->set_kv_resident(5 << 20);
    v1::Model* pivot = response->add_models();
    pivot->set_name("de-fr");
    pivot->set_state(v1::Model::SERVING);
    pivot->add_pivot("opus-de-en");
    pivot->add_pivot("opus-en-fr");
    for (const char* source : {"de", "zh-Hans", ""}) {
      v1::LanguagePair* pair = pivot->add_pairs();
      pair->set_source_language_code(source);
      pair->set_target_language_code("fr");
    }
    v1::Model* old = response->add_models();
    old->set_name("opus-de-en");
    old->set_state(v1::Model::DRAINING);
    old->set_version(2);
    v1::Model* failed = response->add_models();
    failed->set_name("opus-fr-de");
    failed->set_state(v1::Model::FAILED);
    return grpc::Status::OK;
  }

  grpc::Status ListLanguages(grpc::ServerContext* context, const v1::ListLanguagesRequest* request,
                             v1::ListLanguagesResponse* response) override {
    WaitWhileHeld(*context);
    if (!request->model().empty()) {
      return grpc::Status(grpc::StatusCode::NOT_FOUND, "no model '" + request->model() + "'");
    }
    v1::LanguagePair* pair = response->add_pairs();
    pair->set_source_language_code("de");
    pair->set_target_language_code("en");
    return grpc::Status::OK;
  }

  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse* response) override {
    response->set_version("scripted");
    return grpc::Status::OK;
  }

 private:
  void WaitWhileHeld(const grpc::ServerContext& context) {
    if (!owner_.held_) return;
    ++owner_.waiting_;
    while (owner_.held_ && !context.IsCancelled()) std::this_thread::yield();
    --owner_.waiting_;
    if (context.IsCancelled()) ++owner_.cancelled_;
  }

  static grpc::Status End(grpc::ServerContext* context, const ScriptedReply& reply) {
    if (reply.pushback.has_value()) {
      context->AddTrailingMetadata("grpc-retry-pushback-ms", *reply.pushback);
    }
    return grpc::Status(static_cast<grpc::StatusCode>(reply.code), reply.message, reply.details);
  }

  const Handler handler_;
  const StreamHandler stream_handler_;
  ScriptedServer& owner_;
  std::atomic<int>& calls_;
};

struct ScriptedServer::State {
  std::unique_ptr<Service> service;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
  std::mutex mu;
  std::string checksum = "0123456789abcdef";  // guarded by mu
};

ScriptedServer::ScriptedServer(Handler handler, StreamHandler stream_handler)
    : state_(std::make_unique<State>()) {
  grpc::EnableDefaultHealthCheckService(true);
  state_->service = std::make_unique<Service>(std::move(handler), std::move(stream_handler), this);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &state_->port);
  builder.RegisterService(state_->service.get());
  state_->server = builder.BuildAndStart();
}

ScriptedServer::~ScriptedServer() {
  Release();
  state_->server->Shutdown();
}

void ScriptedServer::Hold() { held_ = true; }

void ScriptedServer::Release() { held_ = false; }

std::string ScriptedServer::address() const { return "127.0.0.1:" + std::to_string(state_->port); }

void ScriptedServer::SetChecksum(const std::string& checksum) {
  std::lock_guard<std::mutex> lock(state_->mu);
  state_->checksum = checksum;
}

std::string ScriptedServer::checksum() const {
  std::lock_guard<std::mutex> lock(state_->mu);
  return state_->checksum;
}

void ScriptedServer::SetServing(bool serving) {
  state_->server->GetHealthCheckService()->SetServingStatus(serving);
}

class ScriptedAdmin::Service final : public v1::AdminService::Service {
 public:
  grpc::Status LoadModel(grpc::ServerContext*, const v1::LoadModelRequest* in,
                         v1::LoadModelResponse* out) override {
    const std::map<std::string, std::string> settings(in->settings().begin(), in->settings().end());
    std::string words = "load " + in->name() + " " + in->directory();
    for (const auto& [name, value] : settings) words += " " + name + "=" + value;
    Note(words);
    Fill(in->name(), 1, out->mutable_model());
    return grpc::Status::OK;
  }
  grpc::Status ReloadModel(grpc::ServerContext*, const v1::ReloadModelRequest* in,
                           v1::ReloadModelResponse* out) override {
    Fill(in->name(), 2, out->mutable_model());
    out->set_reloaded(!in->only_if_changed());
    return grpc::Status::OK;
  }
  grpc::Status ReloadAll(grpc::ServerContext*, const v1::ReloadAllRequest*,
                         v1::ReloadAllResponse* out) override {
    const auto add = [out](const char* name, v1::ModelChange::Kind kind, int version) {
      v1::ModelChange* change = out->add_models();
      change->set_name(name);
      change->set_kind(kind);
      change->set_version(version);
      return change;
    };
    add("a", v1::ModelChange::RELOADED, 3);
    add("b", v1::ModelChange::UNLOADED, 0);
    add("c", v1::ModelChange::FAILED, 1)->set_error("/m/c: no such directory");
    out->add_settings_at_next_start("listen");
    out->add_settings_at_next_start("page");
    return grpc::Status::OK;
  }

  grpc::Status UnloadModel(grpc::ServerContext*, const v1::UnloadModelRequest* in,
                           v1::UnloadModelResponse* out) override {
    if (in->name() == "x") return grpc::Status(grpc::StatusCode::NOT_FOUND, "no x");
    out->set_calls_left(3);
    return grpc::Status::OK;
  }
  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest*,
                          v1::ListModelsResponse* out) override {
    Fill("opus-de-en", 12, out->add_models());
    out->mutable_models(0)->set_state(v1::Model::SERVING);
    Fill("a", 0, out->add_models());
    out->mutable_models(1)->set_state(v1::Model::LOADING);
    return grpc::Status::OK;
  }
  grpc::Status Drain(grpc::ServerContext*, const v1::DrainRequest* in,
                     v1::DrainResponse* out) override {
    Note(in->has_limit() ? "drain " + std::to_string(in->limit().seconds() * 1'000'000'000 +
                                                     in->limit().nanos())
                         : "drain");
    out->set_cancelled(4);
    return grpc::Status::OK;
  }
  grpc::Status SetLogLevel(grpc::ServerContext*, const v1::SetLogLevelRequest*,
                           v1::SetLogLevelResponse* out) override {
    out->set_previous("info");
    return grpc::Status::OK;
  }

  std::string last() {
    const std::lock_guard<std::mutex> lock(mu_);
    return last_;
  }

 private:
  static void Fill(const std::string& name, int version, v1::Model* model) {
    model->set_name(name);
    model->set_version(version);
    model->set_checksum("c0ffee");
  }
  void Note(std::string words) {
    const std::lock_guard<std::mutex> lock(mu_);
    last_ = std::move(words);
  }

  std::mutex mu_;
  std::string last_;
};

struct ScriptedAdmin::State {
  Service service;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

ScriptedAdmin::ScriptedAdmin() : state_(std::make_unique<State>()) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &state_->port);
  builder.RegisterService(&state_->service);
  state_->server = builder.BuildAndStart();
}

ScriptedAdmin::~ScriptedAdmin() { state_->server->Shutdown(); }

std::string ScriptedAdmin::address() const { return "127.0.0.1:" + std::to_string(state_->port); }

std::string ScriptedAdmin::last() const { return state_->service.last(); }

}  // namespace dragoman::client
