"""The parts of paths."""

import re

from .failure import WishwellError

# A UUID, or the hash that is the id of a correction of a request.
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}", re.IGNORECASE)


def checked(name: str, value: object) -> str:
    """
    A parameter of a path, as a text. What is no id would be a path of its own, such as `export` or `..`: it is a `WishwellError`
    `NOT_FOUND`, as an unknown id is one of the service.
    """
    text = str(value)
    if ID.fullmatch(text) if name.endswith("_id") else text not in ("", ".", ".."):
        return text
    raise WishwellError(f"{name.removesuffix('_id').replace('_', ' ').capitalize()} not found.", "NOT_FOUND")
