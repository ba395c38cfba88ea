#include "tests/client/scripted_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <utility>

#include "dragoman/v1/translation.grpc.pb.h"

namespace dragoman {

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
  Service(Handler handler, StreamHandler stream_handler, std::atomic<int>* calls)
      : handler_(std::move(handler)), stream_handler_(std::move(stream_handler)), calls_(*calls) {}

  grpc::Status Translate(grpc::ServerContext* context, const v1::TranslateRequest* request,
                         v1::TranslateResponse* response) override {
    ++calls_;
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
    const auto write = [writer](const v1::StreamTranslateResponse& message) {
      writer->Write(message);
    };
    return End(context, stream_handler_(*request, write));
  }

  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest*,
                          v1::ListModelsResponse* response) override {
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
    return grpc::Status::OK;
  }

  grpc::Status ListLanguages(grpc::ServerContext*, const v1::ListLanguagesRequest* request,
                             v1::ListLanguagesResponse* response) override {
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
  static grpc::Status End(grpc::ServerContext* context, const ScriptedReply& reply) {
    if (reply.pushback.has_value()) {
      context->AddTrailingMetadata("grpc-retry-pushback-ms", *reply.pushback);
    }
    return grpc::Status(static_cast<grpc::StatusCode>(reply.code), reply.message, reply.details);
  }

  const Handler handler_;
  const StreamHandler stream_handler_;
  std::atomic<int>& calls_;
};

struct ScriptedServer::State {
  std::unique_ptr<Service> service;
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

ScriptedServer::ScriptedServer(Handler handler, StreamHandler stream_handler)
    : state_(std::make_unique<State>()) {
  grpc::EnableDefaultHealthCheckService(true);
  state_->service =
      std::make_unique<Service>(std::move(handler), std::move(stream_handler), &calls_);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &state_->port);
  builder.RegisterService(state_->service.get());
  state_->server = builder.BuildAndStart();
}

ScriptedServer::~ScriptedServer() { state_->server->Shutdown(); }

std::string ScriptedServer::address() const { return "127.0.0.1:" + std::to_string(state_->port); }

void ScriptedServer::SetServing(bool serving) {
  state_->server->GetHealthCheckService()->SetServingStatus(serving);
}

}  // namespace dragoman
