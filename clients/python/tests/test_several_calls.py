import importlib
import inspect
import os
import pkgutil
import re
import runpy
from pathlib import Path

import pytest
import wishwell.api
from conftest import URL
from wishwell import WishwellClient, WishwellError, pages, scrape_and_wait
from wishwell.api.requests import list_requests
from wishwell.models import StartScrapeJobBody

README = Path(__file__).parent.parent / "README.md"


def test_scrape_and_wait_tells_of_progress_until_the_job_has_ended(client):
    states = []
    job = scrape_and_wait(
        client=client,
        body=StartScrapeJobBody("dark mode", platforms=["github", "stackexchange"], depth=3),
        on_progress=lambda job: states.append(job.status),
        poll_seconds=0.02,
    )
    assert job.status == states[-1] == "completed"
    assert job.progress.to_dict() == {"github": "done", "stackexchange": "done"}


def test_scrape_and_wait_raises_a_job_that_failed(client):
    body = StartScrapeJobBody("dark mode", platforms=["hackernews"], depth=1)
    with pytest.raises(WishwellError) as raised:
        scrape_and_wait(client=client, body=body, poll_seconds=0.02)
    assert raised.value.code == "JOB_FAILED"
    assert raised.value.job.status == "failed"


def test_pages_has_every_page_once(client):
    body = StartScrapeJobBody("pages", platforms=["github"], depth=3)
    job = scrape_and_wait(client=client, body=body, poll_seconds=0.02)
    read = list(pages(list_requests.sync, client=client, job_id=job.job_id, limit=4))
    ids = [request.field_id for page in read for request in page.results]
    assert [len(page.results) for page in read] == [4, 2]
    assert len(set(ids)) == 6


def lists():
    """Every list that needs no id."""
    for module in pkgutil.walk_packages(wishwell.api.__path__, "wishwell.api."):
        call = getattr(importlib.import_module(module.name), "sync", None)
        parameters = inspect.signature(call).parameters.values() if call else []
        has_id = any(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters)
        is_list = {"cursor", "limit"} <= {parameter.name for parameter in parameters}
        if is_list and not has_id and ".compatibility." not in module.name:
            yield pytest.param(module.name, call, id=module.name)


def test_lists_are_found():
    assert len(list(lists())) >= 13


@pytest.mark.parametrize(("name", "call"), list(lists()))
def test_pages_reads_every_list_of_the_document(name, call, client):
    owner = WishwellClient(URL, os.environ["WISHWELL_ADMIN_KEY"]) if ".admin." in name else client
    one_by_one = [page.results for page in pages(call, client=owner, limit=1)]
    (at_once,) = pages(call, client=owner, limit=20)
    assert len(one_by_one) == max(1, len(at_once.results))
    assert [len(rows) for rows in one_by_one] == [1] * len(at_once.results) or one_by_one == [[]]


def test_the_readme_does_what_it_shows(tmp_path, capsys):
    (shown,) = re.findall(r"```python\n(.+?)```", README.read_text(), re.DOTALL)
    file = tmp_path / "shown.py"
    file.write_text(shown)
    runpy.run_path(str(file))
    assert re.fullmatch(r"(Request 0-\d\n){2}", capsys.readouterr().out)
