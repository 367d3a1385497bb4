"""What the document says in words and cannot say in a schema, for schemathesis: which requests may be refused although they fit their schemas.

Written from the descriptions in openapi.json, not from the service's own checks. A refusal is let pass where the query itself breaks such a
sentence, and nowhere else; a query that breaks one and is answered all the same is a failure.
"""

import atexit
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from threading import Lock

import schemathesis

first_day = date(1950, 1, 1)
last_day = date(2100, 12, 31)
coverage_begins = date(2015, 1, 1)
numbers = ("radius_mi", "min_size_in")

asked = Counter()
counting = Lock()


def day(text):
    """The calendar day; None where it is none or was not sent."""
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def refused_by_words(query):
    """The sentence of the document that the query breaks; None where it breaks none that schemas cannot say."""
    today = datetime.now(timezone.utc).date()
    # The date of this machine may turn while a request is under way: either side of midnight counts as tomorrow.
    tomorrow = today + timedelta(days=1)
    if query.get("api_key") == "":
        return "every parameter is not empty"
    if any("e" in str(query[name]).lower() for name in numbers if name in query):
        return "numbers are plain decimals"
    for name in ("date_of_loss", "since"):
        if (sent := day(query.get(name))) and not first_day <= sent <= tomorrow:
            return f"{name}: from 1950-01-01 to tomorrow"
    until = day(query.get("until"))
    if until and not first_day <= until <= last_day:
        return "until: from 1950-01-01 to 2100-12-31"
    since = day(query.get("since")) or coverage_begins
    if until and since > until or since > tomorrow:
        return "since: not after until"
    # The default of `until` is today, so `since` of tomorrow comes after it.
    if "until" not in query and since > today:
        return "since: not after until"
    return None


def is_valid(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Lets a documented refusal pass; everything else stays a failure."""
    is_refusal = type(failure).__name__ == "RejectedPositiveData" and response.status_code == 400
    return not (is_refusal and refused_by_words(case.query or {}) is not None)


@schemathesis.check
def words_are_kept(ctx, response, case):
    """The other direction: what the words refuse is not answered."""
    if is_valid(case) and response.status_code == 200:
        broken = refused_by_words(case.query or {})
        assert broken is None, f"answered 200 against the document's words: {broken}"


@schemathesis.hook
def after_call(context, case, response):
    # Two workers count at once.
    with counting:
        asked[case.operation.label] += 1


@atexit.register
def say_what_was_asked():
    for operation, requests in sorted(asked.items()):
        print(f"asked {operation}: {requests}")
