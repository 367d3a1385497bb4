"""A partner's program on a client that openapi-python-client made: the package hailmark_client, which the test generates."""

import datetime
import json
import os

from hailmark_client import AuthenticatedClient, Client
from hailmark_client.api.meta import health, methodology, openapi
from hailmark_client.api.property_ import history, lookup, score, verify
from hailmark_client.models import BadRequest, ScoreRoofType, VerifyEventBearing

url = os.environ["HAILMARK_URL"]
anybody = Client(base_url=url, raise_on_unexpected_status=True)
client = AuthenticatedClient(base_url=url, token=os.environ["HAILMARK_API_KEY"], raise_on_unexpected_status=True)
somerset = "7360 E 6th St, Somerset, TX 78069"
oklahoma_city = "2300 N Lincoln Blvd, Oklahoma City, OK 73105"
date_of_loss = datetime.date(2026, 8, 28)

verified = verify.sync(client=client, address=somerset, date_of_loss=date_of_loss, window_days=2)
scored = score.sync(client=client, address=somerset, roof_type=ScoreRoofType.SLATE)
looked_up = lookup.sync(client=client, address=somerset)
healthy = health.sync(client=anybody)
rules = methodology.sync(client=anybody)
document = openapi.sync(client=anybody)

# All pages of a history, small ones here.
events, since, pages, more = {}, datetime.date(1955, 1, 1), 0, True
while more:
    page = history.sync(client=client, address=oklahoma_city, since=since, min_size_in=1, limit=20).data.events
    before = len(events)
    for event in page.items:
        lead = event.sources[0]
        events[(lead.publisher, lead.record_id, event.occurred_at, event.distance_mi)] = event
    if page.truncated and len(events) == before:
        raise SystemExit("one day fills a page: raise limit")
    if page.items:
        since = page.items[-1].occurred_at.date()
    pages, more = pages + 1, page.truncated

refused = verify.sync_detailed(client=client, address=somerset, date_of_loss=date_of_loss, window_days=181)
assert isinstance(refused.parsed, BadRequest)

event = verified.data.events[0]
assert isinstance(event.bearing, VerifyEventBearing)
assert event.occurred_at.utcoffset() == datetime.timedelta(0)
last = looked_up.storms.last_damaging_event

print(
    json.dumps(
        {
            "said": {
                "verdict": verified.data.verification.verdict,
                "event_count": verified.data.verification.event_count,
                "bearing": event.bearing,
                "lead": event.sources[0].record_id,
                "score_max_size_in": scored.data.score.max_hail_size_in,
                "roof_type": scored.data.property_.roof_type,
                "last_size_in": None if last is None else last.size,
                "feeds": [feed.feed for feed in healthy.data.feeds],
                "first_feed_was_read": isinstance(healthy.data.feeds[0].last_observation_at, (str, datetime.datetime)),
                "cited": rules.data.publishers.cited_per_event,
                "openapi": document.openapi,
                "pages": pages,
                "refused": {
                    "status": refused.status_code,
                    "code": refused.parsed.error.code,
                    "problems": [problem.to_dict() for problem in refused.parsed.error.detail.errors],
                },
            },
            "answers": {
                "verify": verified.to_dict(),
                "score": scored.to_dict(),
                "lookup": looked_up.to_dict(),
                "health": healthy.to_dict(),
                "history": [event.to_dict() for event in events.values()],
            },
        }
    )
)
