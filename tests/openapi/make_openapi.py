#!/usr/bin/env python3
"""Makes server/api/openapi.json, the OpenAPI 3.1 description of our REST, from translation.proto.

    tests/openapi/run.sh --write      # writes the file, with the packages of requirements.txt
    tests/openapi/run.sh              # compares it with what would be written, and validates it

Schemas, with the comments of the proto as descriptions, come from protoc's descriptors; ranges of decoding options from
proto/options/decoding_options.inc; paths from PATHS below, which server/api/rest_test.cc compares with the routes.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    from google.protobuf import descriptor_pb2
    from openapi_spec_validator import OpenAPIV31SpecValidator
except ImportError as error:
    print(f"SKIPPED the OpenAPI description: no Python package {error.name}")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "server/api/openapi.json"
PACKAGE = ".dragoman.v1."
Field = descriptor_pb2.FieldDescriptorProto

INTEGERS_32 = {Field.TYPE_INT32: "int32", Field.TYPE_UINT32: "uint32"}
INTEGERS_64 = {Field.TYPE_INT64: "int64", Field.TYPE_UINT64: "uint64"}
REALS = {Field.TYPE_FLOAT: "float", Field.TYPE_DOUBLE: "double"}
KNOWN = {
    ".google.protobuf.Duration": {"type": "string", "pattern": r"^-?\d+(\.\d+)?s$", "examples": ["1.5s"]},
    ".google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    ".google.rpc.Status": {"$ref": "#/components/schemas/Status"},
}

DESCRIPTION = """Dragoman's own service, dragoman.v1.TranslationService, as REST. Bodies are the messages of \
translation.proto as proto3 JSON: numbers of 64 bits are strings, enum values are names. Requests may have fields by \
these names or by the proto's (source_language_code); unknown ones are refused by name, and so is a content type other \
than application/json. Answers have every field, but for unset ones that are `optional` or a message. Positions in text \
are bytes of its UTF-8. The headers x-request-id and traceparent name a call and its trace; grpc-timeout ("5S", "500m") \
limits its time."""

STREAM = """Server-sent events. Events named segment, translation and timings have a StreamTranslateResponse as data; \
the first of them has the requestId. The last event is end, with data {}, or error, with data as of an Error. A stream \
that ends without either was cut off."""


def proto(path):
    """The file's descriptor, with its comments."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "set"
        subprocess.run(["protoc", "-I", ROOT / "proto", f"--descriptor_set_out={out}", "--include_source_info", path],
                       check=True)
        return descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file[0]


def comments(file):
    """{path of a descriptor: its comment, in one line for each paragraph}"""
    found = {}
    for location in file.source_code_info.location:
        text = (location.leading_comments + "\n" + location.trailing_comments).strip()
        if text and not text.startswith("-----"):
            found[tuple(location.path)] = paragraphs(text)
    return found


def paragraphs(text):
    lines = [line.strip() for line in text.split("\n")]
    joined = " ".join("\n\n" if not line else f"\n{line}" if line.startswith("* ") else line for line in lines)
    return re.sub(r" *\n *", "\n", joined).strip()


def ranges():
    """{(message, field): keywords of JSON Schema}, from the table of decoding options."""
    text = (ROOT / "proto/options/decoding_options.inc").read_text(encoding="utf-8")
    groups = {"NUMBER": "DecodingOptions", "PRUNING_NUMBER": "Pruning", "SAMPLING_NUMBER": "Sampling"}
    found = {}
    row = re.compile(r"^DRAGOMAN_(\w*NUMBER)\([\w:]+,\s*(\w+),\s*\w+,\s*(\w+)\(([^)]*)\)", re.M)
    for kind, name, rule, numbers in row.findall(text):
        values = [float(number) if "." in number else int(number) for number in numbers.split(",") if number.strip()]
        found[groups[kind], name] = {
            "Between": lambda v: {"minimum": v[0], "maximum": v[1]},
            "AtLeast": lambda v: {"minimum": v[0]},
            "FiniteFrom": lambda v: {"minimum": v[0]},
            "AboveZero": lambda v: {"exclusiveMinimum": 0, "maximum": v[0]},
            "Any": lambda v: {},
        }[rule](values)
    row = re.compile(r"^DRAGOMAN_LIST\([\w:]+,\s*(\w+),\s*\w+,\s*(\d+),", re.M)
    for name, most in row.findall(text):
        found["DecodingOptions", name] = {"maxItems": int(most)}
    return found


class Schemas:
    """The schemas of the messages and enums that are asked for, and of those that they refer to."""

    def __init__(self, file):
        self.comments = comments(file)
        self.ranges = ranges()
        self.types = {}  # name with its package -> (kind, descriptor, path)
        for i, message in enumerate(file.message_type):
            self.add_types(PACKAGE + message.name, message, (4, i))
        for i, enum in enumerate(file.enum_type):
            self.types[PACKAGE + enum.name] = ("enum", enum, (5, i))
        self.made = {}

    def add_types(self, name, message, path):
        self.types[name] = ("message", message, path)
        for i, nested in enumerate(message.nested_type):
            self.add_types(f"{name}.{nested.name}", nested, (*path, 3, i))
        for i, enum in enumerate(message.enum_type):
            self.types[f"{name}.{enum.name}"] = ("enum", enum, (*path, 4, i))

    def reference(self, name, is_request):
        """A reference to the type's schema, which is made if it was not yet."""
        if name in KNOWN:
            return dict(KNOWN[name])
        short = name.removeprefix(PACKAGE)
        if short not in self.made:
            self.made[short] = None  # it may refer to itself
            kind, descriptor, path = self.types[name]
            make = self.message if kind == "message" else self.enum
            self.made[short] = make(short, descriptor, path, is_request)
        return {"$ref": f"#/components/schemas/{short}"}

    def described(self, path, schema):
        text = self.comments.get(path)
        return {"description": text, **schema} if text else schema

    def enum(self, _name, enum, path, _is_request):
        values = [self.comments.get((*path, 2, i)) for i in range(len(enum.value))]
        lines = [f"* {value.name}: {text}" for value, text in zip(enum.value, values) if text]
        text = "\n".join(([self.comments[path]] if path in self.comments else []) + lines)
        schema = {"type": "string", "enum": [value.name for value in enum.value]}
        return {"description": text, **schema} if text else schema

    def message(self, name, message, path, is_request):
        properties = {}
        for i, field in enumerate(message.field):
            schema = {**self.value(field, is_request), **self.ranges.get((name, field.name), {})}
            properties[field.json_name] = self.described((*path, 2, i), schema)
        always = [f.json_name for f in message.field
                  if not f.proto3_optional and (f.label == Field.LABEL_REPEATED or f.type != Field.TYPE_MESSAGE)]
        schema = {"type": "object", "properties": properties}
        if is_request:
            schema["additionalProperties"] = False
            if name == "TranslateRequest":
                schema["required"] = ["contents"]
        elif always:
            schema["required"] = always
        return self.described(path, schema)

    def value(self, field, is_request):
        if field.type == Field.TYPE_MESSAGE:
            entry = self.types.get(field.type_name)
            if entry and entry[1].options.map_entry:
                return {"type": "object", "additionalProperties": {"type": "string"}}
            schema = self.reference(field.type_name, is_request)
        elif field.type == Field.TYPE_ENUM:
            schema = self.reference(field.type_name, is_request)
        elif field.type in INTEGERS_32:
            schema = {"type": "integer", "format": INTEGERS_32[field.type]}
        elif field.type in INTEGERS_64:
            schema = {"type": ["string", "integer"] if is_request else "string", "format": INTEGERS_64[field.type]}
        elif field.type in REALS:
            schema = {"type": "number", "format": REALS[field.type]}
        else:
            schema = {"type": {Field.TYPE_STRING: "string", Field.TYPE_BOOL: "boolean"}[field.type]}
        return {"type": "array", "items": schema} if field.label == Field.LABEL_REPEATED else schema


# path, method, RPC, request by body, name of the operation
PATHS = [
    ("/v1/jobs", "post", "CreateJob", "createJob"),
    ("/v1/jobs", "get", "ListJobs", "listJobs"),
    ("/v1/jobs/{id}", "get", "GetJob", "getJob"),
    ("/v1/jobs/{id}", "delete", "DeleteJob", "deleteJob"),
    ("/v1/translate", "post", "Translate", "translate"),
    ("/v1/translate:stream", "post", "StreamTranslate", "streamTranslate"),
    ("/v1/detect", "post", "DetectLanguage", "detectLanguage"),
    ("/v1/languages", "get", "ListLanguages", "listLanguages"),
    ("/v1/info", "get", "GetServerInfo", "getServerInfo"),
    ("/v1/info/models", "get", "ListModels", "listModels"),
]


def operation(service, path, method, rpc, name, schemas):
    index, found = next((i, m) for i, m in enumerate(service.method) if m.name == rpc)
    text = schemas.comments.get((6, 0, 2, index), "").split("\n\n")
    result = {"operationId": name, "summary": re.split(r"(?<=\.)\s", text[0])[0], "description": "\n\n".join(text)}
    if method == "post":
        result["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas.reference(found.input_type, True)}},
        }
    else:
        request, place = schemas.types[found.input_type][1:]
        parameters = [{"name": f.name, "in": "path" if "{" + f.name + "}" in path else "query",
                       "required": "{" + f.name + "}" in path, "schema": {"type": "string"},
                       "description": schemas.comments.get((*place, 2, i), "")} for i, f in enumerate(request.field)]
        if parameters:
            result["parameters"] = parameters
    output = schemas.reference(found.output_type, False)
    if found.server_streaming:
        content = {"text/event-stream": {"schema": {"type": "string", "description": STREAM}, "x-event-data": output}}
    else:
        content = {"application/json": {"schema": output}}
    result["responses"] = {
        "200": {"description": "OK", "content": content},
        "default": {"$ref": "#/components/responses/Error"},
    }
    return result


def add_documents(paths):
    """The operations of jobs whose bodies are documents."""
    def parameter(name, text, place="query", required=False):
        return {"name": name, "in": place, "required": required, "schema": {"type": "string"}, "description": text}

    def operation(name, summary, parameters, body, content):
        made = {"operationId": name, "summary": summary, "parameters": parameters}
        if body:
            made["requestBody"] = {"required": True, "content": {"application/octet-stream": {}}}
        made["responses"] = {"200": {"description": "OK", "content": content},
                             "default": {"$ref": "#/components/responses/Error"}}
        return made

    job = {"application/json": {"schema": {"$ref": "#/components/schemas/Job"}}}
    key = parameter("id", "The job.", "path", True)
    paths["/v1/jobs:upload"] = {"post": operation(
        "uploadDocument", "Creates a job with its document, which has at most the size of a request.",
        [parameter("name", "The document's file name, whose extension names the format."),
         parameter("format", "The format, if the name does not say it."),
         parameter("source_language_code", "As in TranslateRequest."),
         parameter("target_language_code", "As in TranslateRequest."), parameter("model", "As in TranslateRequest."),
         parameter("fields", "CreateJobRequest.fields, with commas between them."),
         parameter("retranslate", "true or false: CreateJobRequest.retranslate.")], True, job)}
    paths["/v1/jobs/{id}"]["put"] = operation(
        "appendToJob", "Adds bytes to the document.",
        [key, parameter("offset", "The position of the bytes in the document; unset: 0.")], True, job)
    paths["/v1/jobs/{id}/result"] = {"get": operation(
        "readJob", "Returns the translated document.", [key], False, {"*/*": {}})}


def make():
    file = proto("dragoman/v1/translation.proto")
    schemas = Schemas(file)
    service = file.service[0]
    paths = {}
    for path, method, rpc, name in PATHS:
        paths.setdefault(path, {})[method] = operation(service, path, method, rpc, name, schemas)
    add_documents(paths)
    paths["/v1/openapi.json"] = {"get": {
        "operationId": "describe", "summary": "This description.",
        "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"type": "object"}}}}}}}
    detail = {"type": "object", "properties": {"@type": {"type": "string"}}, "required": ["@type"],
              "description": "google.rpc.BadRequest (fieldViolations: field, description) or google.rpc.RetryInfo "
                             "(retryDelay)."}
    made = dict(sorted(schemas.made.items()))
    made["Status"] = {
        "type": "object", "description": "google.rpc.Status: how an item failed. Its code is gRPC's.",
        "properties": {"code": {"type": "integer", "format": "int32"}, "message": {"type": "string"},
                       "details": {"type": "array", "items": detail}}}
    made["Error"] = {
        "type": "object", "required": ["error"], "properties": {"error": {
            "type": "object", "required": ["code", "message", "status"], "properties": {
                "code": {"type": "integer", "description": "The HTTP status."},
                "message": {"type": "string", "description": "What was found and what was expected."},
                "status": {"type": "string", "description": "The code's name, such as INVALID_ARGUMENT."},
                "details": {"type": "array", "items": detail}}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Dragoman", "version": "v1", "description": DESCRIPTION},
        "servers": [{"url": "/"}],
        "security": [{}, {"key": []}],
        "paths": paths,
        "components": {
            "schemas": made,
            "responses": {"Error": {
                "description": "400 INVALID_ARGUMENT, 401 UNAUTHENTICATED, 403 PERMISSION_DENIED, 404 NOT_FOUND, "
                               "429 RESOURCE_EXHAUSTED, 499 CANCELLED, 500 INTERNAL, 501 UNIMPLEMENTED, "
                               "503 UNAVAILABLE, 504 DEADLINE_EXCEEDED.",
                "headers": {"Retry-After": {"description": "With 429 and 503: seconds to wait.",
                                            "schema": {"type": "integer"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer",
                                        "description": "Where the server asks for API keys."}},
        },
    }


def main():
    text = json.dumps(make(), indent=1, ensure_ascii=False) + "\n"
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(text, encoding="utf-8")
        print(f"wrote {FILE.relative_to(ROOT)}")
        return 0
    if sys.argv[1:]:
        print(f"found {sys.argv[1:]}, expected --write or nothing", file=sys.stderr)
        return 2
    if FILE.read_text(encoding="utf-8") != text:
        print("FAILED: server/api/openapi.json is not what translation.proto makes: tests/openapi/run.sh --write")
        return 1
    OpenAPIV31SpecValidator(json.loads(text)).validate()
    print("passed: the OpenAPI description is that of the proto, and valid OpenAPI 3.1")
    return 0


if __name__ == "__main__":
    sys.exit(main())
