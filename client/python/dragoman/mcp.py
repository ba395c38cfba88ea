"""A server of the Model Context Protocol, with which an assistant translates: `pip install dragoman-client[mcp]`.

`dragoman-mcp`, or `python -m dragoman.mcp`, serves standard input and output until the input ends. The protocol is that
of the official SDK; this module has the tools.
"""

from __future__ import annotations

import argparse
import asyncio
import pathlib
from typing import Any, Dict, List, Optional, Sequence, Type

from . import __version__
from ._errors import StatusError, make_error
from ._result import Translation
from .aio import AsyncClient
from .v1 import translation_pb2 as pb

try:
    import mcp_types as types
    from mcp import MCPError
    from mcp.server import Server, ServerRequestContext
    from mcp.server.stdio import stdio_server
    from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
except ImportError as error:
    raise ImportError(f"{error}; dragoman.mcp needs Python 3.10 and: pip install 'dragoman-client[mcp]'") from error

INSTRUCTIONS = "Translates texts with the models of a Dragoman server. `languages` lists the pairs of languages it has."
# NLLB-200 has 40,602 pairs: a list of all would fill an assistant's context.
MAX_PAIRS = 200


class Arguments(BaseModel):
    """The arguments of a tool. Names that are not fields are refused."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def without_nulls(cls, values: Any) -> Any:
        """Removes nulls, because models write null for an argument that they leave out."""
        return {name: value for name, value in values.items() if value is not None}


class TextArguments(Arguments):
    text: str = Field("", description="The text.")
    texts: List[str] = Field([], description="Several texts instead of `text`.")

    def contents(self) -> List[str]:
        if bool(self.text) == bool(self.texts):
            found = "text and texts" if self.text else "neither text nor texts"
            raise make_error("INVALID_ARGUMENT", f"found {found}, expected one of them")
        return self.texts or [self.text]


class TranslateArguments(TextArguments):
    to: str = Field("", description="The target language, as a BCP-47 code: en, de, zh-Hans.")
    from_: str = Field("", alias="from", description="The source language, in the same form.")
    model: str = Field("", description="The name of a model; by default the first that has the pair.")
    html: bool = Field(False, description="The texts are HTML, whose tags stay around their words.")
    markdown: bool = Field(False, description="The texts are Markdown documents, whose marks stay.")
    glossary: str = Field("", description="The name of a glossary; `glossaries` lists them.")
    terms: Dict[str, str] = Field({}, description="Phrases of the source, each with its translation.")
    do_not_translate: List[str] = Field([], description="Phrases that stay as they are.")
    alternatives: int = Field(1, ge=1, le=64, description="How many translations of each text are returned.")


class LanguagesArguments(Arguments):
    from_: str = Field("", alias="from", description="Only pairs with this source language.")
    to: str = Field("", description="Only pairs with this target language.")
    model: str = Field("", description="Only pairs of this model.")


class GlossariesArguments(Arguments):
    model: str = Field("", description="Only the glossaries of this model.")


def make_tool(name: str, title: str, arguments: Type[Arguments], result: str, description: str) -> types.Tool:
    """The description of a tool whose structured result is a list of objects with the name `result`."""
    items = {"type": "array", "items": {"type": "object"}}
    return types.Tool(
        name=name,
        title=title,
        description=description,
        input_schema=arguments.model_json_schema(),
        output_schema={"type": "object", "properties": {result: items}, "required": [result]},
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


TRANSLATE = (
    "Translates a text, or several, with a machine translation model. Give the target language where the model has "
    "several, and the source language where it has several; `languages` lists the pairs."
)
DETECT = "Says which language a text, or each of several, is written in."
LANGUAGES = f"Lists the pairs of languages that can be translated, at most {MAX_PAIRS}; `from` and `to` narrow them."
GLOSSARIES = "Lists the glossaries that `translate` can be told to use, by model."
TOOLS = [
    make_tool("translate", "Translate", TranslateArguments, "translations", TRANSLATE),
    make_tool("detect", "Detect the language", TextArguments, "detections", DETECT),
    make_tool("languages", "List languages", LanguagesArguments, "pairs", LANGUAGES),
    make_tool("glossaries", "List glossaries", GlossariesArguments, "glossaries", GLOSSARIES),
]


def make_result(texts: Sequence[str], structured: Any, is_error: bool = False) -> types.CallToolResult:
    content: List[types.ContentBlock] = [types.TextContent(text=text) for text in texts]
    return types.CallToolResult(content=content, structured_content=structured, is_error=is_error)


def to_json(translation: Translation) -> Dict[str, Any]:
    """The structured result for one text, with the names of `dragoman translate --json`."""
    if translation.error is not None:
        return {"error": {"code": translation.error.code, "message": translation.error.message}}
    item: Dict[str, Any] = {"text": translation.text, "model": translation.model}
    if translation.alternatives:
        item["alternatives"] = [{"text": alternative.text} for alternative in translation.alternatives]
    if translation.warnings:
        item["warnings"] = [
            {"code": pb.Warning.Code.Name(warning.code), "text": warning.text} for warning in translation.warnings
        ]
    if translation.detected_language:
        item["detected"] = {"language": translation.detected_language, "confidence": translation.detection_confidence}
    return item


def to_text(translation: Translation) -> str:
    if translation.error is not None:
        return f"This text was not translated: {translation.error}"
    return "\n".join([translation.text, *(alternative.text for alternative in translation.alternatives)])


class Tools:
    """The tools of one server. The methods are handlers of the SDK's Server, which runs each in a task of its own and
    cancels the task when the assistant cancels the call."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def list(
        self, context: ServerRequestContext[Any], params: Optional[types.PaginatedRequestParams]
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=TOOLS)

    async def call(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """An error of the arguments or of the Dragoman server is a result that the assistant reads."""
        given = params.arguments or {}
        try:
            if params.name == "translate":
                return await self._translate(context, TranslateArguments.model_validate(given))
            if params.name == "detect":
                return await self._detect(TextArguments.model_validate(given))
            if params.name == "languages":
                return await self._languages(LanguagesArguments.model_validate(given))
            if params.name == "glossaries":
                return await self._glossaries(GlossariesArguments.model_validate(given))
        except ValidationError as error:
            wrong = [f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in error.errors()]
            return make_result(["INVALID_ARGUMENT: " + "; ".join(wrong)], None, is_error=True)
        except StatusError as error:
            return make_result([str(error)], None, is_error=True)
        names = ", ".join(tool.name for tool in TOOLS)
        raise MCPError(types.INVALID_PARAMS, f"found tool '{params.name}', expected one of {names}")

    async def _translate(
        self, context: ServerRequestContext[Any], arguments: TranslateArguments
    ) -> types.CallToolResult:
        contents = arguments.contents()
        translations: Dict[int, Translation] = {}
        # A stream, so that progress can be reported after each text.
        async for update in self._client.stream(
            contents,
            to=arguments.to,
            from_=arguments.from_,
            model=arguments.model,
            html=arguments.html,
            markdown=arguments.markdown,
            glossary=arguments.glossary,
            terms=arguments.terms,
            do_not_translate=arguments.do_not_translate,
            num_alternatives=arguments.alternatives,
        ):
            if update.translation is not None:
                translations[update.item] = update.translation
                await context.session.report_progress(len(translations), len(contents))
        if sorted(translations) != list(range(len(contents))):
            raise make_error("INTERNAL", "the server's answer has no result for some of the texts")
        ordered = [translations[item] for item in range(len(contents))]
        return make_result(
            [to_text(translation) for translation in ordered],
            {"translations": [to_json(translation) for translation in ordered]},
            is_error=all(translation.error is not None for translation in ordered),
        )

    async def _detect(self, arguments: TextArguments) -> types.CallToolResult:
        detections = await self._client.detect(arguments.contents())
        found = [
            [{"language": each.language_code, "confidence": each.confidence} for each in detection.languages]
            for detection in detections
        ]
        texts = [str(languages[0]["language"]) if languages else "unknown" for languages in found]
        return make_result(texts, {"detections": [{"languages": languages} for languages in found]})

    async def _languages(self, arguments: LanguagesArguments) -> types.CallToolResult:
        response = await self._client.languages(arguments.model)
        pairs = [(pair.source_language_code, pair.target_language_code) for pair in response.pairs]
        if arguments.from_:  # A pair without a source takes any.
            pairs = [pair for pair in pairs if pair[0] in ("", arguments.from_)]
        if arguments.to:
            pairs = [pair for pair in pairs if pair[1] == arguments.to]
        lines = [f"{source or 'any language'} to {target}" for source, target in pairs[:MAX_PAIRS]]
        if len(pairs) > MAX_PAIRS:
            lines.append(f"and {len(pairs) - MAX_PAIRS} more pairs: ask for those of one language, with from or to")
        listed = [{"source": source, "target": target} for source, target in pairs[:MAX_PAIRS]]
        text = "\n".join(lines) or "There is no such pair of languages."
        return make_result([text], {"pairs": listed, "pair_count": len(pairs)})

    async def _glossaries(self, arguments: GlossariesArguments) -> types.CallToolResult:
        # Models that are being loaded or drained take no calls.
        serving = (pb.Model.SERVING, pb.Model.STATE_UNSPECIFIED)
        models = [model for model in await self._client.models() if model.state in serving]
        if arguments.model:
            names = ", ".join(model.name for model in models)
            models = [model for model in models if model.name == arguments.model]
            if not models:
                raise make_error("NOT_FOUND", f"model: found '{arguments.model}', expected one of {names}")
        found = [{"name": glossary, "model": model.name} for model in models for glossary in model.glossaries]
        text = "\n".join(f"{each['name']} (model {each['model']})" for each in found)
        return make_result([text or "The server has no glossaries."], {"glossaries": found})


async def serve(client: AsyncClient) -> None:
    """Serves standard input and output until the input ends."""
    tools = Tools(client)
    server = Server[Any](
        "dragoman", version=__version__, instructions=INSTRUCTIONS, on_list_tools=tools.list, on_call_tool=tools.call
    )
    async with client, stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """The program dragoman-mcp."""
    parser = argparse.ArgumentParser(
        "dragoman-mcp",
        description="Serves the Model Context Protocol on standard input and output, for an assistant that translates.",
    )
    parser.add_argument("--server", metavar="ADDR", help="host:port (default: DRAGOMAN_SERVER, else localhost:50051)")
    parser.add_argument("--tls", action="store_true", help="speak TLS; --ca, --cert and --tls-server-name imply it")
    parser.add_argument("--ca", metavar="FILE", help="the authorities to trust, PEM (default: gRPC's)")
    parser.add_argument("--cert", metavar="FILE", help="the client's certificate, PEM, where the server asks for one")
    parser.add_argument("--key", metavar="FILE", help="the key of --cert, PEM")
    parser.add_argument("--tls-server-name", metavar="NAME", help="the name in the server's certificate")
    parser.add_argument("--api-key-file", metavar="FILE", help="the API key (default: DRAGOMAN_API_KEY)")
    parser.add_argument("--plaintext-key", action="store_true", help="send the API key without TLS, too")
    parser.add_argument("--timeout", metavar="S", type=float, default=120.0, help="seconds for a call (default: 120)")
    flags = vars(parser.parse_args(arguments))
    key_file = flags.pop("api_key_file")
    try:
        key = None if key_file is None else pathlib.Path(key_file).read_text().strip()
        client = AsyncClient(flags.pop("server"), api_key=key, **flags)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    asyncio.run(serve(client))


if __name__ == "__main__":
    main()
