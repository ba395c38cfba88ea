"""dragoman.parquet against a scripted server."""

import pathlib
import tempfile
import unittest

import dragoman.parquet
import grpc
import pyarrow
from dragoman.v1 import translation_pb2 as pb
from pyarrow import parquet
from scripted import ScriptedServer, bracketed, fail


class Parquet(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name, "in.parquet")
        self.target = pathlib.Path(folder.name, "out.parquet")
        self.handler = lambda request, context, call: bracketed(request)
        self.server = ScriptedServer(lambda *call: self.handler(*call))
        self.server.models = [pb.Model(name="scripted", checksum="1")]
        self.server.__enter__()
        self.addCleanup(self.server.stop)

    def write(self, texts, row_group_size=3, **columns):
        table = pyarrow.table({"row": range(len(texts)), "text": pyarrow.array(texts, pyarrow.string()), **columns})
        parquet.write_table(table.replace_schema_metadata({"kept": "yes"}), self.source, row_group_size, compression="zstd")
        return table

    def translate(self, **options):
        return dragoman.parquet.translate_parquet(
            self.source, self.target, "text", server=self.server.address, to="en", **options
        )

    def test_everything_else_stays(self):
        table = self.write(["a", None, "", "b c", "d"], other=[[1], [], None, [2, 3], [4]])
        self.assertTrue(self.translate())
        file = parquet.ParquetFile(self.target)
        found = file.read()
        self.assertTrue(found.select(["row", "text", "other"]).equals(table))
        self.assertEqual(found.column("translation").to_pylist(), ["<a>", None, "", "<b c>", "<d>"])
        self.assertEqual(file.schema_arrow.metadata[b"kept"], b"yes")
        self.assertEqual([file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)], [3, 2])
        self.assertEqual(file.metadata.row_group(0).column(0).compression, "ZSTD")
        self.assertEqual([path.name for path in sorted(self.source.parent.iterdir())], ["in.parquet", "out.parquet"])

    def test_is_done_again_only_after_a_change(self):
        self.write(["a", "b"])
        self.assertTrue(self.translate())
        self.assertFalse(self.translate())
        self.assertTrue(self.translate(beam_size=2))
        self.server.models[0].checksum = "2"
        self.assertTrue(self.translate(beam_size=2))
        self.write(["a", "c"])
        self.assertTrue(self.translate(beam_size=2))
        self.assertFalse(self.translate(beam_size=2))

    def test_continues_after_the_last_block(self):
        self.write(["a", "b", "c", "d", "e", "f", "g"])

        def refuse_the_last(request, context, call):
            if "g" in request.contents:
                fail(context, grpc.StatusCode.PERMISSION_DENIED, "not yours")
            return bracketed(request)

        self.handler = refuse_the_last
        with self.assertRaises(dragoman.PermissionDenied):
            self.translate()
        self.assertFalse(self.target.exists())
        self.handler = lambda request, context, call: bracketed(request)
        before = len(self.server.requests)
        self.assertTrue(self.translate())
        self.assertEqual([list(request.contents) for request in self.server.requests[before:]], [["g"]])
        self.assertEqual(parquet.read_table(self.target)["translation"].to_pylist(), [f"<{c}>" for c in "abcdefg"])

    def test_a_refused_text_has_its_reason(self):
        self.write(["a", "bad", "c"])

        def refuse(request, context, call):
            response = bracketed(request)
            for translation in response.translations:
                if translation.translated_text == "<bad>":
                    translation.ClearField("translated_text")
                    translation.error.code = 3
                    translation.error.message = "too bad"
            return response

        self.handler = refuse
        with self.assertRaisesRegex(dragoman.InvalidArgument, "too bad"):
            self.translate()
        self.assertTrue(self.translate(error="reason"))
        found = parquet.read_table(self.target)
        self.assertEqual(found["translation"].to_pylist(), ["<a>", None, "<c>"])
        self.assertEqual([bool(reason) for reason in found["reason"].to_pylist()], [False, True, False])
        self.assertIn("too bad", found["reason"][1].as_py())

    def test_wrong_columns_are_named(self):
        self.write(["a"])
        with self.assertRaisesRegex(ValueError, "no column 'texts', expected one of row, text"):
            dragoman.parquet.translate_parquet(self.source, self.target, "texts", server=self.server.address)
        with self.assertRaisesRegex(ValueError, "column 'row' has the type int64, expected string"):
            dragoman.parquet.translate_parquet(self.source, self.target, "row", server=self.server.address)
        with self.assertRaisesRegex(ValueError, "already a column 'row'"):
            self.translate(output="row")

    def test_wrong_options_are_found_before_any_work(self):
        self.write(["a"])
        with self.assertRaisesRegex(TypeError, "beam_size"):
            self.translate(beam_sise=4)
        with self.assertRaisesRegex(ValueError, "both server and local"):
            self.translate(local="/models/de-en")
        self.assertEqual(self.server.requests, [])

    def test_a_file_without_rows(self):
        self.write([])
        self.assertTrue(self.translate())
        self.assertEqual(parquet.read_table(self.target).column_names, ["row", "text", "translation"])


if __name__ == "__main__":
    unittest.main()
