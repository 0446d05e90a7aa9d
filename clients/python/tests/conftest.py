"""The service under test, which test/python-client.nightly.test.ts starts, and a faulty proxy before it."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest
from wishwell import WishwellClient

URL = os.environ["WISHWELL_URL"]
API_KEY = os.environ["WISHWELL_API_KEY"]


@dataclass
class Call:
    at: float
    path: str
    key: str | None


class Exchange(BaseHTTPRequestHandler):
    """One call of a client, which `fault` answers if it is the first."""

    calls: list[Call]
    fault: Callable[["Exchange"], None]

    def handle_call(self) -> None:
        self.calls.append(Call(time.monotonic(), self.path, self.headers.get("idempotency-key")))
        if len(self.calls) == 1:
            type(self).fault(self)
        else:
            answer = self.forward()
            self.answer(answer.status_code, answer.text)

    do_GET = do_POST = handle_call

    def forward(self) -> httpx.Response:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        kept = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "content-length")}
        return httpx.request(self.command, URL + self.path, headers=kept, content=content)

    def answer(self, status: int, body: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in ({"content-type": "application/json"} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@dataclass
class Proxy:
    client: WishwellClient
    calls: list[Call] = field(default_factory=list)


@pytest.fixture
def client() -> Iterator[WishwellClient]:
    with WishwellClient(URL, API_KEY) as client:
        yield client


@pytest.fixture
def start_proxy() -> Iterator[Callable[[Callable[[Exchange], None]], Proxy]]:
    servers: list[ThreadingHTTPServer] = []

    def start(fault: Callable[[Exchange], None]) -> Proxy:
        calls: list[Call] = []
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Faulty", (Exchange,), {"calls": calls, "fault": fault}))
        servers.append(server)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return Proxy(WishwellClient(f"http://127.0.0.1:{server.server_port}", API_KEY), calls)

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
