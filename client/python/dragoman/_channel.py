"""Addresses, credentials and channels, which the blocking and the asyncio client share."""

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
# If there are several servers, one that did not answer gets no calls for this time.
FAILED_SECONDS = 1.0

Pem = Union[str, bytes, "os.PathLike[str]"]


def read_pem(pem: Optional[Pem]) -> Optional[bytes]:
    """Returns the bytes of a PEM text, which is given as bytes or as the path of a file."""
    if pem is None or isinstance(pem, bytes):
        return pem
    return pathlib.Path(pem).read_bytes()


def is_local(address: str) -> bool:
    """Reports whether traffic to this address stays on the machine.

    An address that begins with "127." counts only if it has no other characters than digits and dots, because
    127.example.org is a host name.
    """
    if address.startswith("unix:"):
        return True
    for scheme in ("ipv4:", "ipv6:"):
        if address.startswith(scheme):
            address = address[len(scheme) :]
    host = address.rpartition(":")[0] or address
    return host in ("localhost", "[::1]") or (host.startswith("127.") and not host.strip("0123456789."))


@dataclasses.dataclass(frozen=True)
class Settings:
    """The arguments of a client's constructor, after they have been checked. Made by `make` only."""

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
            # Sent as metadata, because gRPC's call credentials send nothing without TLS, even to the same machine.
            metadata = (("authorization", f"Bearer {api_key}"),)
        credentials = None
        if tls:
            credentials = grpc.ssl_channel_credentials(
                root_certificates=read_pem(ca), private_key=read_pem(key), certificate_chain=read_pem(cert)
            )
        return Settings(addresses, credentials, tls_server_name, metadata, timeout)

    def options(self, watches: bool) -> List[Tuple[str, Any]]:
        """Returns the arguments of a channel, which are those of the C++ client.

        With `watches`, gRPC watches the servers' health and sends no calls to a server that is NOT_SERVING. A server is
        NOT_SERVING some seconds before it refuses calls.
        """
        health = ',"healthCheckConfig":{"serviceName":""}' if watches else ""
        options: List[Tuple[str, Any]] = [
            ("grpc.service_config", '{"loadBalancingConfig":[{"round_robin":{}}]' + health + "}"),
            ("grpc.dns_min_time_between_resolutions_ms", 1000),
            # With these settings, calls to a server that hangs fail with UNAVAILABLE after 10 s and are retried on
            # another one. The ping timeout is needed because gRPC waits a minute for the answer to its own bandwidth
            # pings, and sends no keepalive pings meanwhile.
            ("grpc.keepalive_time_ms", 5_000),
            ("grpc.keepalive_timeout_ms", 5_000),
            ("grpc.http2.ping_timeout_ms", 5_000),
            ("grpc.http2.max_pings_without_data", 0),
            # The default waits before a new connection, up to 120 s, are longer than the waits between retries.
            ("grpc.initial_reconnect_backoff_ms", 200),
            ("grpc.max_reconnect_backoff_ms", 5_000),
            # A response with n-best lists and tokens of 1,024 texts exceeds gRPC's default limit of 4 MiB.
            ("grpc.max_receive_message_length", 64 << 20),
        ]
        if self.server_name is not None:
            options.append(("grpc.ssl_target_name_override", self.server_name))
        return options

    def explain(self, error: StatusError) -> None:
        """Adds the likely cause to an UNAVAILABLE error, because gRPC's message says little."""
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
    """The methods of the servers at one address.

    Translations use `channel`. Calls that ask about the server itself use `plain`, because they also go to servers that
    are NOT_SERVING. A channel that is not used does not connect.
    """

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
            "Score": unary(channel, "Score", pb.ScoreRequest, pb.ScoreResponse),
            "DetectLanguage": unary(plain, "DetectLanguage", pb.DetectLanguageRequest, pb.DetectLanguageResponse),
            "ListLanguages": unary(plain, "ListLanguages", pb.ListLanguagesRequest, pb.ListLanguagesResponse),
            "ListModels": unary(plain, "ListModels", pb.ListModelsRequest, pb.ListModelsResponse),
            "GetServerInfo": unary(plain, "GetServerInfo", pb.GetServerInfoRequest, pb.GetServerInfoResponse),
            "CreateJob": unary(channel, "CreateJob", pb.CreateJobRequest, pb.Job),
            "AppendToJob": unary(channel, "AppendToJob", pb.AppendToJobRequest, pb.Job),
            "GetJob": unary(channel, "GetJob", pb.GetJobRequest, pb.Job),
            "ReadJob": unary(channel, "ReadJob", pb.ReadJobRequest, pb.ReadJobResponse),
            "DeleteJob": unary(channel, "DeleteJob", pb.DeleteJobRequest, pb.DeleteJobResponse),
            "Check": plain.unary_unary("/grpc.health.v1.Health/Check"),
        }


def unary(channel: Any, name: str, request: Any, response: Any) -> Any:
    return channel.unary_unary(
        SERVICE + name, request_serializer=request.SerializeToString, response_deserializer=response.FromString
    )


class Links(Generic[ChannelT]):
    """Picks the addresses in turn and skips those that have just failed. Thread-safe."""

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
    """Returns the bytes of a grpc.health.v1.HealthCheckRequest. Avoids a dependency on a package with its proto."""
    name = service.encode()
    if len(name) > 127:
        raise ValueError(f"the name of the service has {len(name)} bytes, expected at most 127")
    return bytes([0x0A, len(name)]) + name if name else b""


def says_serving(response: bytes) -> bool:
    """Reports whether a grpc.health.v1.HealthCheckResponse has SERVING (1) in field 1, the status."""
    return response == b"\x08\x01"
