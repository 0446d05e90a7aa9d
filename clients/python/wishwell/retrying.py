"""HTTP clients that repeat what failed for a while, and raise `WishwellError`."""

import asyncio
import random
import re
import time
import uuid
from typing import Any

import httpx

from .failure import WishwellError, failure_of

# A longer Retry-After is the decision of the caller.
MAX_WAIT = 60

# These make or send something at each call, and take no Idempotency-Key.
HAS_EFFECT_EACH_TIME = re.compile(r"/(links|session|test)$")


def add_key(request: httpx.Request) -> None:
    """All attempts of a call have one Idempotency-Key, so it has its effect once."""
    # A list with `source=realtime` collects, and so costs credits, like a POST.
    if request.method == "POST" or request.url.params.get("source") == "realtime":
        request.headers.setdefault("idempotency-key", str(uuid.uuid4()))


def is_answer(response: httpx.Response) -> bool:
    """Whether this is a success of the service, and not the page of a proxy, which is no file."""
    is_page = response.headers.get("content-type", "").startswith("text/html")
    is_file = response.headers.get("content-disposition", "").startswith("attachment")
    return response.is_success and (is_file or not is_page)


def is_temporary(failure: WishwellError, request: httpx.Request) -> bool:
    if failure.status == 429:
        # The call was refused before it had an effect.
        return failure.reason in (None, "rate")
    if request.method == "POST" and HAS_EFFECT_EACH_TIME.search(request.url.path):
        return False
    return failure.code == "UNREACHABLE" or failure.status in (502, 503, 504)


def unreachable(request: httpx.Request, error: httpx.RequestError) -> WishwellError:
    what = "did not answer in time" if isinstance(error, httpx.TimeoutException) else "cannot be reached"
    failure = WishwellError(f"The service at {request.url.join('/')} {what}: {error}", code="UNREACHABLE")
    failure.__cause__ = error
    return failure


def seconds_until_retry(failure: WishwellError, request: httpx.Request, retry: int, max_retries: int) -> float:
    """How long to wait. Raises the failure if the call is not to be repeated."""
    after = failure.retry_after
    if retry >= max_retries or not is_temporary(failure, request) or (after or 0) > MAX_WAIT:
        raise failure
    # Never earlier than the service asks for.
    return random.random() * 0.5 * 2**retry if after is None else after + random.random() * 0.5


class RetryingClient(httpx.Client):
    def __init__(self, max_retries: int, **options: Any) -> None:
        super().__init__(**options)
        self.max_retries = max_retries

    def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        add_key(request)
        retry = 0
        while True:
            try:
                response = super().send(request, stream=stream, **options)
                if is_answer(response):
                    return response
                response.read()
                failure = failure_of(response)
            except httpx.RequestError as error:
                failure = unreachable(request, error)
            time.sleep(seconds_until_retry(failure, request, retry, self.max_retries))
            retry += 1


class RetryingAsyncClient(httpx.AsyncClient):
    def __init__(self, max_retries: int, **options: Any) -> None:
        super().__init__(**options)
        self.max_retries = max_retries

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        add_key(request)
        retry = 0
        while True:
            try:
                response = await super().send(request, stream=stream, **options)
                if is_answer(response):
                    return response
                await response.aread()
                failure = failure_of(response)
            except httpx.RequestError as error:
                failure = unreachable(request, error)
            await asyncio.sleep(seconds_until_retry(failure, request, retry, self.max_retries))
            retry += 1
