"""The client of Wishwell. Its calls are the modules of `wishwell.api`; bodies and answers are in `wishwell.models`."""

from .failure import WishwellError
from .models import Job
from .service import WishwellClient, answer_of, pages, scrape_and_wait

__all__ = ["Job", "WishwellClient", "WishwellError", "answer_of", "pages", "scrape_and_wait"]
