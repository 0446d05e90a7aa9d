import asyncio
import json
import os
import pickle
import uuid
from pathlib import Path

import httpx
import pytest
from wishwell import WishwellClient, WishwellError, answer_of, scrape_and_wait
from wishwell.api.admin import create_sign_in_link
from wishwell.api.platforms import list_platforms
from wishwell.api.requests import read_request
from wishwell.api.scraping import list_scrape_jobs, start_scrape_job
from wishwell.api.usage import read_usage
from wishwell.api.wishes import list_wishes
from wishwell.models import StartScrapeJobBody
from wishwell.network import proxy_of
from wishwell.retrying import HAS_EFFECT_EACH_TIME

API_KEY = os.environ["WISHWELL_API_KEY"]
RETRIES_OF_PROGRAMS = Path(__file__).parents[3] / "client/retry.ts"


def refuse(status, headers, reason=None):
    code = "RATE_LIMITED" if status == 429 else "UNAVAILABLE"
    body = {"error": {"code": code, "message": "Later.", **({"reason": reason} if reason else {})}}
    return lambda exchange: exchange.answer(status, json.dumps(body), headers)


def drop(exchange):
    """Ends the connection without an answer."""


@pytest.mark.parametrize("is_awaited", [False, True])
@pytest.mark.parametrize(("status", "reason"), [(429, "rate"), (503, None)])
def test_is_repeated_after_retry_after(start_proxy, status, reason, is_awaited):
    proxy = start_proxy(refuse(status, {"retry-after": "1"}, reason))
    answer = (
        asyncio.run(list_platforms.asyncio(client=proxy.client))
        if is_awaited
        else list_platforms.sync(client=proxy.client)
    )
    assert "github" in [platform.platform for platform in answer.data.results]
    first, second = proxy.calls
    assert second.at - first.at >= 1


@pytest.mark.parametrize(("retry_after", "reason"), [("1", "credits"), ("61", "rate")])
def test_is_not_repeated_out_of_credits_or_after_more_than_a_minute(start_proxy, retry_after, reason):
    proxy = start_proxy(refuse(429, {"retry-after": retry_after}, reason))
    with pytest.raises(WishwellError) as raised:
        list_platforms.sync(client=proxy.client)
    error = raised.value
    assert (error.code, error.reason, error.status) == ("RATE_LIMITED", reason, 429)
    assert error.retry_after == int(retry_after)
    assert len(proxy.calls) == 1


def test_starts_and_charges_a_job_once_when_its_answer_is_lost(start_proxy, client):
    def credits_used():
        return answer_of(read_usage.sync(client=client)).data.credits_.used

    def lose_answer(exchange):
        assert exchange.forward().status_code == 200

    before = credits_used()
    proxy = start_proxy(lose_answer)
    body = StartScrapeJobBody("lost", platforms=["github"], depth=2)
    job = scrape_and_wait(client=proxy.client, body=body, poll_seconds=0.05)
    assert (job.credits_.held, job.credits_.settled) == (0, 2)
    assert uuid.UUID(proxy.calls[0].key)
    assert proxy.calls[1].key == proxy.calls[0].key
    jobs = answer_of(list_scrape_jobs.sync(client=client, limit=100)).data.results
    assert [listed.topic for listed in jobs].count("lost") == 1
    assert credits_used() == before + 2


@pytest.mark.parametrize("text", ["export", "..", "../usage", "", "%2e%2e", f"{uuid.uuid4()}/similar", f"{uuid.uuid4()}\n"])
def test_asks_for_no_path_of_another_call(start_proxy, text):
    proxy = start_proxy(drop)
    with pytest.raises(WishwellError) as raised:
        read_request.sync(text, client=proxy.client)
    assert (raised.value.code, raised.value.message) == ("NOT_FOUND", "Request not found.")
    assert proxy.calls == []


def test_is_not_repeated_when_each_call_makes_a_link(start_proxy):
    proxy = start_proxy(drop)
    with pytest.raises(WishwellError) as raised:
        create_sign_in_link.sync(str(uuid.uuid4()), client=proxy.client, body=None)
    assert raised.value.code == "UNREACHABLE"
    assert len(proxy.calls) == 1


def test_repeats_what_the_client_for_programs_repeats():
    assert f"/{HAS_EFFECT_EACH_TIME.pattern.replace('/', chr(92) + '/')}/" in RETRIES_OF_PROGRAMS.read_text()


def test_raises_the_code_the_fields_and_the_id_of_a_refused_request(client):
    with pytest.raises(WishwellError) as raised:
        start_scrape_job.sync(client=client, body=StartScrapeJobBody("dark mode", depth=0))
    error = raised.value
    assert (error.code, error.status) == ("INVALID_REQUEST", 400)
    assert error.request_id
    assert "depth" in error.details[0]["path"]
    # A pool of processes sends errors to its caller.
    sent = pickle.loads(pickle.dumps(error))
    assert (str(sent), sent.code, sent.details) == (str(error), error.code, error.details)


@pytest.mark.parametrize("status", [200, 404])
def test_raises_an_error_for_the_page_of_a_proxy(start_proxy, status):
    proxy = start_proxy(lambda exchange: exchange.answer(status, "<html>", {"content-type": "text/html"}))
    with pytest.raises(WishwellError) as raised:
        list_platforms.sync(client=proxy.client)
    assert (raised.value.code, raised.value.status) == ("UNEXPECTED_ANSWER", status)


def test_takes_a_file_of_html(start_proxy):
    headers = {"content-type": "text/html", "content-disposition": 'attachment; filename="brief.html"'}
    proxy = start_proxy(lambda exchange: exchange.answer(200, "<p>A brief", headers))
    answer = proxy.client.get_httpx_client().get(f"/api/v1/briefs/{uuid.uuid4()}/file", params={"format": "html"})
    assert answer.text == "<p>A brief"


def test_gives_up_after_its_retries():
    attempts = []

    def refuse_connection(request):
        attempts.append(request)
        raise httpx.ConnectError("refused")

    transport = httpx.MockTransport(refuse_connection)
    client = WishwellClient("http://127.0.0.1", "any", max_retries=2, httpx_args={"transport": transport})
    with pytest.raises(WishwellError) as raised:
        list_platforms.sync(client=client)
    assert raised.value.code == "UNREACHABLE"
    assert len(attempts) == 1 + 2


def test_sends_no_default_of_its_own(start_proxy):
    def answer(exchange):
        found = exchange.forward()
        exchange.answer(found.status_code, found.text)

    proxy = start_proxy(answer)
    list_wishes.sync(client=proxy.client)
    assert [call.path for call in proxy.calls] == ["/api/v1/wishes"]


def test_reads_values_that_a_newer_service_has(start_proxy):
    def answer(exchange):
        exchange.answer(200, exchange.forward().text.replace('"github"', '"novelty"'))

    answered = answer_of(list_platforms.sync(client=start_proxy(answer).client))
    assert "novelty" in [platform.platform for platform in answered.data.results]


def with_environment(monkeypatch, **variables):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def test_takes_the_proxy_of_the_network_without_a_scheme_too(start_proxy, monkeypatch):
    proxy = start_proxy(lambda exchange: exchange.answer(200, '{"data": {"platforms": []}}'))
    address = proxy.client._base_url.removeprefix("http://")
    with_environment(monkeypatch, HTTP_PROXY=address, NO_PROXY="10.0.0.0/8,[::1]")
    with WishwellClient("http://service.example", API_KEY, max_retries=0) as client:
        client.get_httpx_client().get("/api/v1/platforms")
    assert [call.path for call in proxy.calls] == ["http://service.example/api/v1/platforms"]


@pytest.mark.parametrize("no_proxy", ["127.0.0.0/8,[::1]", "::1,.example.com", "*", ""])
def test_calls_this_machine_directly(client, monkeypatch, no_proxy):
    with_environment(monkeypatch, HTTP_PROXY="127.0.0.1:1", NO_PROXY=no_proxy)
    assert answer_of(list_platforms.sync(client=client)).data is not None


@pytest.mark.parametrize(
    "entry, is_named",
    [
        ("192.0.2.0/24", True),
        ("192.0.3.0/24", False),
        ("192.0.2.7:8080", True),
        ("192.0.2.7:80", False),
        ("*", True),
        ("example.com", False),
    ],
)
def test_reads_networks_of_no_proxy(monkeypatch, entry, is_named):
    with_environment(monkeypatch, HTTP_PROXY="proxy.example:3128", NO_PROXY=entry)
    proxy = proxy_of(httpx.URL("http://192.0.2.7:8080"))
    assert proxy is None if is_named else str(proxy.url) == "http://proxy.example:3128"


@pytest.mark.parametrize("scheme", ["socks", "socks5", "socks5h", "socks4"])
def test_warns_of_a_socks_proxy_that_it_cannot_use(client, monkeypatch, scheme):
    with_environment(monkeypatch, ALL_PROXY=f"{scheme}://proxy.example:1080")
    with pytest.warns(UserWarning, match="calls are direct"):
        WishwellClient("http://service.example", API_KEY).get_httpx_client()
    assert answer_of(list_platforms.sync(client=client)).data is not None


def test_raises_its_error_for_what_is_no_proxy(monkeypatch):
    with_environment(monkeypatch, HTTP_PROXY="ftp://secret@proxy.example")
    with pytest.raises(WishwellError) as raised:
        WishwellClient("http://service.example", API_KEY).get_httpx_client()
    assert raised.value.code == "INVALID_PROXY" and "secret" not in str(raised.value)
