"""The only error of the client."""

from typing import Any

import httpx
from attrs import define, field


@define(eq=False)
class WishwellError(Exception):
    """A call or a job failed."""

    message: str
    code: str
    """Of docs/errors.md, or `UNREACHABLE`, `UNEXPECTED_ANSWER`, `JOB_FAILED`, `INVALID_PROXY`."""
    status: int | None = None
    """Of the answer; None without one."""
    request_id: str | None = None
    """The `X-Request-Id` of the answer, which the log of the service has, too."""
    retry_after: int | None = None
    """The `Retry-After` of the answer, in seconds."""
    reason: str | None = None
    """Why a call was limited. Credits and budgets are fresh only at a later date: such a call is not repeated."""
    details: list[dict[str, Any]] = field(factory=list)
    """The fields that are invalid."""
    job: Any = None
    """The job that failed, with `JOB_FAILED`."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def failure_of(response: httpx.Response) -> WishwellError:
    """Explains an answer that is no success. Its body has been read."""
    seconds = response.headers.get("retry-after", "")
    retry_after = int(seconds) if seconds.isascii() and seconds.isdigit() else None
    answered = (response.status_code, response.headers.get("x-request-id"), retry_after)
    try:
        error = response.json()["error"]
        code, message, reason, details = error["code"], error["message"], error.get("reason"), error.get("details", [])
    except (ValueError, LookupError, TypeError, AttributeError):
        # Not an envelope: probably the answer of a proxy.
        message = f"The answer {response.status_code} is not one of Wishwell. Is the address right?"
        return WishwellError(message, "UNEXPECTED_ANSWER", *answered)
    return WishwellError(message, code, *answered, reason, details)
