/**
 * The three quick starts as printed on the page. They run as they stand, with a key in HAILMARK_API_KEY; the tests run them so. Each needs
 * nothing but what its language brings along.
 */
export interface QuickStart {
  name: string;
  /** What to type to run it. */
  run: string;
  text: string;
}

const address = '2300 N Lincoln Blvd, Oklahoma City, OK 73105';

export function quickStarts(public_base_url: string): QuickStart[] {
  return [
    { name: 'curl', run: 'sh quick-start.sh', text: curl(public_base_url) },
    { name: 'TypeScript', run: 'node quick-start.mts', text: typescript(public_base_url) },
    { name: 'Python', run: 'python3 quick-start.py', text: python(public_base_url) },
  ];
}

function curl(public_base_url: string): string {
  return `curl --silent --show-error --fail-with-body --get '${public_base_url}/api/v1/property/verify' \\
  --header "Authorization: Bearer $HAILMARK_API_KEY" \\
  --data-urlencode 'address=7360 E 6th St, Somerset, TX 78069' \\
  --data-urlencode 'date_of_loss=2026-08-28' \\
  --data-urlencode 'window_days=2'
`;
}

function typescript(public_base_url: string): string {
  return `type Source = { publisher: string; record_id: string; url?: string };
type HailEvent = { occurred_at: string; size_in: number; distance_mi: number; sources: Source[] };
type History = { data: { events: { items: HailEvent[]; truncated: boolean } } };

async function ask(parameters: Record<string, string>): Promise<History> {
  const query = new URLSearchParams(parameters);
  for (;;) {
    const response = await fetch(\`${public_base_url}/api/v1/property/history?\${query}\`, {
      headers: { Authorization: \`Bearer \${process.env['HAILMARK_API_KEY']}\` },
    });
    if (response.ok) return (await response.json()) as History;
    const wait = Number(response.headers.get('Retry-After'));
    if (wait === 0 || wait > 60) throw new Error(\`\${response.status} \${await response.text()}\`);
    await new Promise((done) => setTimeout(done, wait * 1000));
  }
}

// All pages of a history, small ones here: the next one begins on the day of the last event, and what is known already is dropped.
const seen = new Set<string>();
let since = '1955-01-01';
for (let more = true; more; ) {
  const address = '${address}';
  const { data } = await ask({ address, since, min_size_in: '1', limit: '20' });
  const before = seen.size;
  for (const { occurred_at, size_in, distance_mi, sources } of data.events.items) {
    const [lead] = sources;
    const key = JSON.stringify([lead?.publisher, lead?.record_id, occurred_at, distance_mi]);
    if (seen.has(key)) continue;
    seen.add(key);
    console.log(occurred_at, \`\${size_in} in, \${distance_mi} mi,\`, lead?.publisher, lead?.record_id);
  }
  if (data.events.truncated && seen.size === before) throw new Error('one day fills a page: raise limit');
  since = data.events.items.at(-1)?.occurred_at.slice(0, 10) ?? since;
  more = data.events.truncated;
}
`;
}

function python(public_base_url: string): string {
  return `import json, os, time, urllib.error, urllib.parse, urllib.request

def ask(parameters):
    request = urllib.request.Request(
        "${public_base_url}/api/v1/property/history?" + urllib.parse.urlencode(parameters),
        headers={"Authorization": "Bearer " + os.environ["HAILMARK_API_KEY"]},
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)["data"]["events"]
        except urllib.error.HTTPError as error:
            wait = int(error.headers.get("Retry-After", 0))
            if wait == 0 or wait > 60:
                raise SystemExit(f"{error.code} {error.read().decode()}")
            time.sleep(wait)

# All pages of a history, small ones here: the next one begins on the day of the last event, and what is known already is dropped.
seen, since, more = set(), "1955-01-01", True
while more:
    events = ask({"address": "${address}",
                  "since": since, "min_size_in": 1, "limit": 20})
    before = len(seen)
    for event in events["items"]:
        lead = event["sources"][0]
        key = (lead["publisher"], lead["record_id"], event["occurred_at"], event["distance_mi"])
        if key not in seen:
            seen.add(key)
            print(event["occurred_at"], f"{event['size_in']} in, {event['distance_mi']} mi,",
                  lead["publisher"], lead["record_id"])
    more = events["truncated"]
    if more and len(seen) == before:
        raise SystemExit("one day fills a page: raise limit")
    if events["items"]:
        since = events["items"][-1]["occurred_at"][:10]
`;
}
