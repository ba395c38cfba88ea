"""The daemon that processes of a machine share. tests/e2e/node_daemon_test.cc has the C++ side."""

import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import unittest
from unittest import mock

import dragoman
from harness import CLIENT, DAEMON, MODEL, wait_until

FLAGS = ("--model", f"de-en={MODEL}")


def listener_of(address):
    """The process that listens at a unix socket, or None."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(address[len("unix:") :])
        except OSError:
            return None
        return struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


class Node(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        environment = mock.patch.dict(os.environ, DRAGOMAN_LOCAL_DIR=folder.name, DRAGOMAND=str(DAEMON))
        environment.start()
        self.addCleanup(environment.stop)

    def test_users_share_a_daemon_that_ends_with_the_last(self):
        with dragoman.NodeDaemon(*FLAGS) as first:
            with dragoman.NodeDaemon(*FLAGS) as second, dragoman.Client(second.address) as client:
                self.assertEqual(first.address, second.address)
                self.assertEqual(client.translate("Guten Morgen!", to="en").text, "Good morning.")
                daemon = listener_of(first.address)
            self.assertEqual(listener_of(first.address), daemon)
        self.assertTrue(wait_until(lambda: listener_of(first.address) is None, 30))

    def test_the_command_joins_the_same_daemon(self):
        with dragoman.NodeDaemon(*FLAGS) as node:
            daemon = listener_of(node.address)
            (self.folder / "x.txt").write_text("Guten Morgen!\n")
            command = [CLIENT, "corpus", self.folder / "x.txt", "--out", self.folder / "out", "--local", FLAGS[1]]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            self.assertEqual((self.folder / "out/x.txt").read_text(), "Good morning.\n")
            self.assertEqual(len([path for path in self.folder.iterdir() if (path / "lock").exists()]), 1)
            self.assertEqual(listener_of(node.address), daemon)

    def test_a_daemon_that_dies_is_started_again(self):
        with dragoman.NodeDaemon(*FLAGS) as node, dragoman.Client(node.address, timeout=60) as client:
            client.translate("Guten Morgen!", to="en")
            daemon = listener_of(node.address)
            os.kill(daemon, signal.SIGKILL)
            self.assertTrue(wait_until(lambda: listener_of(node.address) not in (None, daemon), 30))
            results = client.translate_lines(["Guten Morgen!"] * 3, to="en")
            self.assertEqual([result.text for result in results], ["Good morning."] * 3)

    def test_a_start_that_fails_says_why(self):
        with self.assertRaisesRegex(dragoman.DragomanError, "/nowhere: no such directory"):
            dragoman.NodeDaemon("--model", "de-en=/nowhere")
        self.folder.chmod(0o777)
        with self.assertRaises(PermissionError):
            dragoman.NodeDaemon(*FLAGS)

    def test_the_folder_follows_from_the_flags(self):
        with mock.patch.dict(os.environ, DRAGOMAND="/nowhere/dragomand"), self.assertRaises(OSError):
            dragoman.NodeDaemon("--model", "x=/no/model", "--cpu-workers=4")
        # The C++ client's test has the same name.
        self.assertTrue((self.folder / "a97c75b4afe3a3bc/lock").exists())


if __name__ == "__main__":
    unittest.main()
