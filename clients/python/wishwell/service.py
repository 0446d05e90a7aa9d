"""Which service is called, and what takes several calls."""

import time
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, Protocol, TypeVar

import httpx
from attrs import define, field

from .api.scraping import read_scrape_job, start_scrape_job
from .client import AuthenticatedClient
from .failure import WishwellError
from .models import Job, StartScrapeJobBody
from .network import with_transport
from .retrying import RetryingAsyncClient, RetryingClient

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


class Page(Protocol):
    """The `data` of a list."""

    cursor: str | None


PageOfList = TypeVar("PageOfList", bound=Page, covariant=True)


class ListAnswer(Protocol[PageOfList]):
    @property
    def data(self) -> PageOfList: ...


@define
class WishwellClient(AuthenticatedClient):
    """
    A service, for `client=` of every call: `WishwellClient(base_url="https://wishes.example.org", token="an API key")`.

    Calls that fail for a while are repeated up to `max_retries` times; all other failures are a `WishwellError`.
    `timeout` is that of httpx, by default a minute for each of its phases.
    """

    max_retries: int = field(default=4, kw_only=True)
    _timeout: httpx.Timeout | None = field(default=httpx.Timeout(60), kw_only=True, alias="timeout")

    def get_httpx_client(self) -> httpx.Client:
        """The client of all calls that block."""
        if self._client is None:
            self._client = RetryingClient(self.max_retries, **with_transport(httpx.HTTPTransport, self._options()))
        return self._client

    def get_async_httpx_client(self) -> httpx.AsyncClient:
        """The client of all calls that are awaited."""
        if self._async_client is None:
            options = with_transport(httpx.AsyncHTTPTransport, self._options())
            self._async_client = RetryingAsyncClient(self.max_retries, **options)
        return self._async_client

    def _options(self) -> dict[str, Any]:
        return {
            "base_url": self._base_url,
            "cookies": self._cookies,
            "headers": {**self._headers, self.auth_header_name: f"{self.prefix} {self.token}"},
            "timeout": self._timeout,
            "verify": self._verify_ssl,
            # A followed redirect turns a POST into a GET.
            "follow_redirects": False,
            **self._httpx_args,
        }


def answer_of(answer: Answer | None) -> Answer:
    """The answer of a call, which is None only of a service that does not keep to its document."""
    if answer is None:
        raise WishwellError("The answer is not of this version of Wishwell.", code="UNEXPECTED_ANSWER")
    return answer


def pages(
    call: Callable[Parameters, ListAnswer[PageOfList] | None],
    *args: Parameters.args,
    **parameters: Parameters.kwargs,
) -> Iterator[PageOfList]:
    """The `data` of each page of a list, as long as there are more: `pages(list_wishes.sync, client=client)`."""
    while True:
        page = answer_of(call(*args, **parameters)).data
        yield page
        if page.cursor is None:
            return
        parameters["cursor"] = page.cursor


def scrape_and_wait(
    *,
    client: WishwellClient,
    body: StartScrapeJobBody,
    on_progress: Callable[[Job], object] | None = None,
    poll_seconds: float = 1,
) -> Job:
    """
    Starts a job and waits for its end. An interrupted wait does not cancel the job.

    `on_progress` is called with the job at each poll, the last one included. Raises `WishwellError` with the code
    `JOB_FAILED`, and the job as its `job`, when no platform delivered.
    """
    started = answer_of(start_scrape_job.sync(client=client, body=body)).data
    while True:
        time.sleep(poll_seconds)
        job = answer_of(read_scrape_job.sync(started.job_id, client=client)).data
        if on_progress is not None:
            on_progress(job)
        if job.status == "completed":
            return job
        if job.status == "failed":
            raise WishwellError(f"The job {job.job_id} failed.", code="JOB_FAILED", job=job)
