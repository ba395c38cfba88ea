"""A TranslationService in this process whose answers a test writes, on a free port of 127.0.0.1."""

import concurrent.futures
import threading

import grpc
from dragoman.v1 import translation_pb2 as pb
from dragoman.v1 import translation_pb2_grpc as rpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2


def bracketed(request):
    """Every text of the request as "<text>"."""
    response = pb.TranslateResponse(request_id=request.request_id or "scripted")
    for index, text in enumerate(request.contents):
        response.translations.add(translated_text=f"<{text}>", index=index, model="scripted")
    return response


def fail(context, code, message, *details, pushback=None):
    """Ends the call as the daemon does: with a google.rpc.Status and, where given, a pushback."""
    status = status_pb2.Status(code=code.value[0], message=message)
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    trailing = [("grpc-status-details-bin", status.SerializeToString())]
    if pushback is not None:
        trailing.append(("grpc-retry-pushback-ms", pushback))
    context.set_trailing_metadata(trailing)
    context.abort(code, message)


def retry_info(seconds):
    info = error_details_pb2.RetryInfo()
    info.retry_delay.FromNanoseconds(round(seconds * 1e9))
    return info


def violation(field, description):
    return error_details_pb2.BadRequest(
        field_violations=[error_details_pb2.BadRequest.FieldViolation(field=field, description=description)]
    )


class _Service(rpc.TranslationServiceServicer):
    def __init__(self, server):
        self._server = server

    def Translate(self, request, context):
        return self._server.answer(self._server.handler, request, context)

    def StreamTranslate(self, request, context):
        yield from self._server.answer(self._server.stream_handler, request, context)

    def ListModels(self, request, context):
        return pb.ListModelsResponse(models=self._server.models)


class ScriptedServer:
    """Use it with `with`. `handler(request, context, call)` answers Translate, `stream_handler` yields; calls count
    from 0. `requests` and `metadata` are what came, in order. ListModels returns `models`."""

    def __init__(self, handler=None, stream_handler=None, address="127.0.0.1:0", credentials=None, threads=64):
        self.handler = handler or (lambda request, context, call: bracketed(request))
        self.stream_handler = stream_handler
        self.requests = []
        self.metadata = []
        self.models = []
        self._lock = threading.Lock()
        self._server = grpc.server(concurrent.futures.ThreadPoolExecutor(threads), options=[("grpc.so_reuseport", 0)])
        rpc.add_TranslationServiceServicer_to_server(_Service(self), self._server)
        if credentials is None:
            port = self._server.add_insecure_port(address)
        else:
            port = self._server.add_secure_port(address, credentials)
        self.address = f"{address.rpartition(':')[0]}:{port}"

    def answer(self, handler, request, context):
        with self._lock:
            call = len(self.requests)
            self.requests.append(request)
            self.metadata.append(dict(context.invocation_metadata()))
        return handler(request, context, call)

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._server.stop(None).wait()
