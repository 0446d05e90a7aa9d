"""The only error of the client."""

from typing import Any

import httpx


class WishwellError(Exception):
    """A call or a job failed."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: int | None = None,
        reason: str | None = None,
        details: list[dict[str, Any]] | None = None,
        job: Any = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """Of docs/errors.md, or `UNREACHABLE`, `UNEXPECTED_ANSWER`, `JOB_FAILED`."""
        self.status = status
        """Of the answer; None without one."""
        self.request_id = request_id
        """The `X-Request-Id` of the answer, which the log of the service has, too."""
        self.retry_after = retry_after
        """The `Retry-After` of the answer, in seconds."""
        self.reason = reason
        """Why a call was limited. Credits and budgets are fresh only at a later date: such a call is not repeated."""
        self.details = details or []
        """The fields that are invalid."""
        self.job = job
        """The job that failed, with `JOB_FAILED`."""


def failure_of(response: httpx.Response) -> WishwellError:
    """Explains an answer that is no success. Its body has been read."""
    seconds = response.headers.get("retry-after", "")
    known = {
        "status": response.status_code,
        "request_id": response.headers.get("x-request-id"),
        "retry_after": int(seconds) if seconds.isascii() and seconds.isdigit() else None,
    }
    try:
        error = response.json()["error"]
        code, message, reason, details = error["code"], error["message"], error.get("reason"), error.get("details")
    except (ValueError, LookupError, TypeError, AttributeError):
        # Not an envelope: probably the answer of a proxy.
        message = f"The answer {response.status_code} is not one of Wishwell. Is the address right?"
        return WishwellError(message, code="UNEXPECTED_ANSWER", **known)
    return WishwellError(message, code=code, reason=reason, details=details, **known)
