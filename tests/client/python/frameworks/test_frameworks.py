"""The extras with the real packages: LangChain's transformer, Haystack's components."""

import asyncio
import unittest

import dragoman
from haystack import Document as HaystackDocument
from haystack import Pipeline
from haystack.components.joiners import DocumentJoiner
from langchain_core.documents import BaseDocumentTransformer, Document
from scripted import ScriptedServer

from dragoman.haystack import DragomanDocumentTranslator, DragomanTextTranslator
from dragoman.langchain import DragomanTranslateTransformer


class LangChain(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(ScriptedServer())
        self.documents = [Document(page_content=f"text {i}", metadata={"page": i}) for i in range(40)]

    def check(self, translated):
        self.assertEqual([d.page_content for d in translated], [f"<text {i}>" for i in range(40)])
        self.assertEqual([d.metadata for d in translated], [{"page": i, "model": "scripted"} for i in range(40)])
        self.assertEqual(self.documents[0], Document(page_content="text 0", metadata={"page": 0}))

    def test_a_transformer_translates_and_keeps_the_metadata(self):
        transformer = DragomanTranslateTransformer("en", settings={"server": self.server.address}, beam_size=2)
        self.assertIsInstance(transformer, BaseDocumentTransformer)
        self.check(transformer.transform_documents(self.documents))
        self.check(asyncio.run(transformer.atransform_documents(self.documents)))
        for request in self.server.requests:
            self.assertEqual((request.target_language_code, request.decoding.beam_size), ("en", 2))
        self.server.requests.clear()
        transformer.transform_documents(self.documents, to="fr")
        self.assertEqual(self.server.requests[0].target_language_code, "fr")

    def test_a_client_of_ones_own(self):
        with dragoman.Client(self.server.address) as client:
            transformer = DragomanTranslateTransformer("en", client=client)
            self.check(transformer.transform_documents(self.documents))
            self.check(asyncio.run(transformer.atransform_documents(self.documents)))
            with self.assertRaises(ValueError):
                DragomanTranslateTransformer("en", client=client, settings={})


class Haystack(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(ScriptedServer())

    def test_documents_in_a_pipeline_that_was_saved_and_loaded(self):
        pipeline = Pipeline()
        options = {"beam_size": 2}
        translator = DragomanDocumentTranslator(to="en", from_="de", server=self.server.address, options=options)
        pipeline.add_component("translator", translator)
        pipeline.add_component("joiner", DocumentJoiner())
        pipeline.connect("translator.documents", "joiner.documents")
        loaded = Pipeline.loads(pipeline.dumps(), unsafe=True) if self.wants_unsafe() else Pipeline.loads(pipeline.dumps())
        documents = [HaystackDocument(content="eins", meta={"page": 1}), HaystackDocument(content=None, meta={"page": 2})]
        for each in (pipeline, loaded):
            self.server.requests.clear()
            result = each.run({"translator": {"documents": documents}})["joiner"]["documents"]
            by_page = {document.meta["page"]: document for document in result}
            self.assertEqual(by_page[1].content, "<eins>")
            self.assertEqual(by_page[1].meta, {"page": 1, "source_id": documents[0].id})
            self.assertNotEqual(by_page[1].id, documents[0].id)
            self.assertEqual(by_page[2], documents[1])
            (request,) = self.server.requests
            self.assertEqual((request.source_language_code, request.decoding.beam_size), ("de", 2))
        self.assertEqual(documents[0].content, "eins")

    @staticmethod
    def wants_unsafe():
        """Whether this version loads only components of modules that it knows, unless told so."""
        import inspect

        return "unsafe" in inspect.signature(Pipeline.loads).parameters

    def test_a_query(self):
        pipeline = Pipeline()
        pipeline.add_component("query", DragomanTextTranslator(to="de", server=self.server.address))
        self.assertEqual(pipeline.run({"query": {"text": "one"}}), {"query": {"text": "<one>"}})


if __name__ == "__main__":
    unittest.main()
