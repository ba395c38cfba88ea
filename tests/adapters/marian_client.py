#!/usr/bin/env python3
"""marian-server's protocol by PyPI's websocket-client, as Marian's client_example.py uses it."""

from harness import ENGLISH, GERMAN, AdapterDaemon, check, need, raises, run

need("websocket")
import websocket  # noqa: E402


def connect(server, query=""):
    return websocket.create_connection(f"ws://{server.http_address}/translate{query}", timeout=30)


def test_lines(server):
    connection = connect(server)
    try:
        connection.send(GERMAN + "\nDie Katze schläft.\n")
        lines = connection.recv().split("\n")
        check(len(lines) == 3 and ENGLISH in lines[0] and "cat" in lines[1], f"answer: {lines}")
        connection.send(GERMAN)  # on the same connection
        check(ENGLISH in connection.recv(), "no second answer")
    finally:
        connection.close()


def test_several_at_once(server):
    """Connections are independent of each other."""
    connections = [connect(server, "?source=de&target=en") for _ in range(8)]
    try:
        for number, connection in enumerate(connections):
            connection.send(GERMAN if number % 2 else "Die Katze schläft.")
        for number, connection in enumerate(connections):
            answer = connection.recv()
            check((ENGLISH if number % 2 else "cat") in answer, f"answer {number}: {answer}")
    finally:
        for connection in connections:
            connection.close()


def test_key(_):
    with AdapterDaemon(keys={"web": "secret"}) as server:
        connection = connect(server, "?token=secret")
        try:
            connection.send(GERMAN)
            check(ENGLISH in connection.recv(), "no answer")
        finally:
            connection.close()


def test_an_error_is_no_translation(server):
    connection = connect(server, "?target=xx")
    try:
        connection.send(GERMAN)
        code, frame = connection.recv_data()
        check(code == websocket.ABNF.OPCODE_CLOSE, f"found {frame}, expected a close frame")
        check(int.from_bytes(frame[:2], "big") == 1008 and b"xx" in frame[2:], f"the reason: {frame}")
    finally:
        connection.close()


def test_other_paths(server):
    """Nothing else is a WebSocket."""
    for path in ("/", "/other"):
        raises(
            websocket.WebSocketBadStatusException,
            lambda: websocket.create_connection(f"ws://{server.http_address}{path}", timeout=30),
            "404",
        )


if __name__ == "__main__":
    run(globals())
