"""Where the servers are and how to talk to them: what the sync and the asyncio client share about channels."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import threading
import time
from typing import Any, Callable, Dict, Generic, List, Optional, Sequence, Tuple, TypeVar, Union

import grpc

from ._errors import StatusError
from .v1 import translation_pb2 as pb

DEFAULT_SERVER = "localhost:50051"
SCHEMES = ("http://", "https://", "grpc://", "grpcs://", "tcp://")
SERVICE = "/dragoman.v1.TranslationService/"
# How long a server that did not answer is passed over, where there are others.
FAILED_SECONDS = 1.0

Pem = Union[str, bytes, "os.PathLike[str]"]


def read_pem(pem: Optional[Pem]) -> Optional[bytes]:
    """The bytes of a PEM: they themselves, or those of the file that a path names."""
    if pem is None or isinstance(pem, bytes):
        return pem
    return pathlib.Path(pem).read_bytes()


def is_local(address: str) -> bool:
    """Whether what goes to this address stays on the machine. 127.example.org is a name like any other: a number has
    digits and dots alone."""
    if address.startswith("unix:"):
        return True
    for scheme in ("ipv4:", "ipv6:"):
        if address.startswith(scheme):
            address = address[len(scheme) :]
    host = address.rpartition(":")[0] or address
    return host in ("localhost", "[::1]") or (host.startswith("127.") and not host.strip("0123456789."))


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a client's constructor takes, checked. REQUIRES: `make`."""

    addresses: Tuple[str, ...]
    credentials: Optional[grpc.ChannelCredentials]
    server_name: Optional[str]
    metadata: Tuple[Tuple[str, str], ...]
    timeout: float

    @staticmethod
    def make(
        server: Optional[str],
        tls: bool,
        ca: Optional[Pem],
        cert: Optional[Pem],
        key: Optional[Pem],
        tls_server_name: Optional[str],
        api_key: Optional[str],
        plaintext_key: bool,
        timeout: float,
    ) -> "Settings":
        server = server or os.environ.get("DRAGOMAN_SERVER") or DEFAULT_SERVER
        addresses = tuple(address.strip() for address in server.split(","))
        if not all(addresses):
            raise ValueError(f"the server address '{server}' has an empty part, expected host:port")
        for address in addresses:
            if address.startswith(SCHEMES):
                raise ValueError(
                    f"the server address '{address}' has a scheme, expected host:port alone, those of the daemon's "
                    "--listen: this client speaks gRPC; tls=True is for TLS"
                )
        if (cert is None) != (key is None):
            found, missing = ("cert", "key") if key is None else ("key", "cert")
            raise ValueError(f"found {found} without {missing}, expected both")
        if timeout <= 0:
            raise ValueError(f"timeout is {timeout}, expected seconds above 0")
        tls = tls or ca is not None or cert is not None or tls_server_name is not None
        api_key = api_key or os.environ.get("DRAGOMAN_API_KEY") or None
        metadata: Tuple[Tuple[str, str], ...] = ()
        if api_key is not None:
            if not all(" " < character < "\x7f" for character in api_key):
                raise ValueError("the API key has a character that is not printable ASCII")
            for address in addresses:
                if not (tls or plaintext_key or is_local(address)):
                    raise ValueError(
                        f"the API key would travel to '{address}' unencrypted, expected tls=True (or plaintext_key=True "
                        "where something else encrypts the way)"
                    )
            # By hand: gRPC's own credentials send nothing without TLS, not even on the same machine.
            metadata = (("authorization", f"Bearer {api_key}"),)
        credentials = None
        if tls:
            credentials = grpc.ssl_channel_credentials(
                root_certificates=read_pem(ca), private_key=read_pem(key), certificate_chain=read_pem(cert)
            )
        return Settings(addresses, credentials, tls_server_name, metadata, timeout)

    def options(self, watches: bool) -> List[Tuple[str, Any]]:
        """Arguments of a channel, the same as those of the C++ client. `watches`: calls leave a server that says
        NOT_SERVING, which one does some seconds before it refuses them."""
        health = ',"healthCheckConfig":{"serviceName":""}' if watches else ""
        options: List[Tuple[str, Any]] = [
            ("grpc.service_config", '{"loadBalancingConfig":[{"round_robin":{}}]' + health + "}"),
            ("grpc.dns_min_time_between_resolutions_ms", 1000),
            # Calls to a server that stands still fail as UNAVAILABLE after 10 s, and are sent to another. gRPC's own
            # pings, which measure bandwidth, would be waited for a minute, with none to keep alive beside them.
            ("grpc.keepalive_time_ms", 5_000),
            ("grpc.keepalive_timeout_ms", 5_000),
            ("grpc.http2.ping_timeout_ms", 5_000),
            ("grpc.http2.max_pings_without_data", 0),
            # The defaults, up to 120 s, outlast any retry.
            ("grpc.initial_reconnect_backoff_ms", 200),
            ("grpc.max_reconnect_backoff_ms", 5_000),
            # n-best lists with tokens of 1,024 items exceed the default of 4 MiB.
            ("grpc.max_receive_message_length", 64 << 20),
        ]
        if self.server_name is not None:
            options.append(("grpc.ssl_target_name_override", self.server_name))
        return options

    def explain(self, error: StatusError) -> None:
        """Adds the likely cause to an UNAVAILABLE, of which gRPC says little."""
        if error.code == "UNAVAILABLE" and "Connection refused" in error.message:
            where = ",".join(self.addresses)
            error.message = (
                f"no server answers at {where} (connection refused): start dragomand there, or name another address"
            )
        if error.code == "UNAVAILABLE" and "Socket closed" in error.message:
            tls = self.credentials is not None
            why = "the server may speak no TLS, or want another certificate" if tls else "the server may want TLS"
            error.message += f" ({why})"


ChannelT = TypeVar("ChannelT")


class Link(Generic[ChannelT]):
    """The calls of one address. Translations go by one channel, and what is asked of a server about itself by another,
    for that is asked of servers that do not serve, too. A channel that is not used does not connect."""

    def __init__(self, make: Callable[[str, List[Tuple[str, Any]]], ChannelT], settings: Settings, address: str) -> None:
        watches = len(settings.addresses) > 1 or address.startswith("dns:")
        self.channel = make(address, settings.options(watches))
        self.plain = make(address, settings.options(False)) if watches else self.channel
        self.failed_at = float("-inf")
        channel: Any = self.channel
        plain: Any = self.plain
        self.methods: Dict[str, Any] = {
            "Translate": unary(channel, "Translate", pb.TranslateRequest, pb.TranslateResponse),
            "StreamTranslate": channel.unary_stream(
                SERVICE + "StreamTranslate",
                request_serializer=pb.TranslateRequest.SerializeToString,
                response_deserializer=pb.StreamTranslateResponse.FromString,
            ),
            "DetectLanguage": unary(plain, "DetectLanguage", pb.DetectLanguageRequest, pb.DetectLanguageResponse),
            "ListLanguages": unary(plain, "ListLanguages", pb.ListLanguagesRequest, pb.ListLanguagesResponse),
            "ListModels": unary(plain, "ListModels", pb.ListModelsRequest, pb.ListModelsResponse),
            "GetServerInfo": unary(plain, "GetServerInfo", pb.GetServerInfoRequest, pb.GetServerInfoResponse),
            "Check": plain.unary_unary("/grpc.health.v1.Health/Check"),
        }


def unary(channel: Any, name: str, request: Any, response: Any) -> Any:
    return channel.unary_unary(
        SERVICE + name, request_serializer=request.SerializeToString, response_deserializer=response.FromString
    )


class Links(Generic[ChannelT]):
    """All addresses, in turn, past those that have just failed. Thread-safe."""

    def __init__(self, links: Sequence[Link[ChannelT]]) -> None:
        self.all = links
        self._turn = 0
        self._lock = threading.Lock()

    def pick(self) -> Link[ChannelT]:
        with self._lock:
            turn = self._turn
            self._turn += 1
        now = time.monotonic()
        count = len(self.all)
        in_turn = [self.all[(turn + i) % count] for i in range(count)]
        return next((link for link in in_turn if now - link.failed_at >= FAILED_SECONDS), in_turn[0])


def health_request(service: str) -> bytes:
    """A grpc.health.v1.HealthCheckRequest. By hand, because a module for its proto would be one more package."""
    name = service.encode()
    if len(name) > 127:
        raise ValueError(f"the name of the service has {len(name)} bytes, expected at most 127")
    return bytes([0x0A, len(name)]) + name if name else b""


def says_serving(response: bytes) -> bool:
    """Of a grpc.health.v1.HealthCheckResponse: field 1, the enum ServingStatus, is SERVING = 1."""
    return response == b"\x08\x01"
