"""Asks the views for analysts as one does in a notebook: clickhouse-connect with its defaults, into data frames and Arrow tables.

Arguments: host, port, a person's name, database. Prints one JSON object with what was read; exits 1 where something could be written.
"""

import json
import sys
from datetime import datetime, timezone

import clickhouse_connect
from clickhouse_connect.driver.exceptions import DatabaseError

host, port, name, database = sys.argv[1:]
client = clickhouse_connect.get_client(host=host, port=int(port), username=name, database=database)

somerset = {"lat": 29.2263, "lon": -98.6578, "radius_mi": 10.0}
near = client.query_df(
    "SELECT * FROM hail_near(lat = {lat:Float64}, lon = {lon:Float64}, radius_mi = {radius_mi:Float64}) ORDER BY distance_mi, record_id",
    parameters=somerset,
)
bound = client.query(
    "SELECT count() FROM observations WHERE occurred_at >= {since:DateTime} AND publisher IN {publishers:Array(String)}",
    parameters={"since": datetime(2026, 1, 1, tzinfo=timezone.utc), "publishers": ["NEXRAD_SWDI", "COCORAHS"]},
)
arrow = client.query_arrow("SELECT * FROM observations WHERE publisher = 'NEXRAD_SWDI'")
frame_of_arrow = client.query_df_arrow("SELECT * FROM hail_days ORDER BY max_size_in DESC, geohash LIMIT 5")
streamed = 0
with client.query_row_block_stream("SELECT record_id, url FROM citations") as blocks:
    for block in blocks:
        streamed += len(block)
parquet = client.raw_query("SELECT * FROM coverage", fmt="Parquet")

for attempt in ("DROP TABLE observations_v1", "TRUNCATE TABLE observations_v1", "CREATE TABLE mine (n UInt8) ENGINE = Memory"):
    try:
        client.command(attempt)
    except DatabaseError:
        continue
    sys.exit(f"was let do: {attempt}")
try:
    client.insert("schema_migrations", [["x", "y"]], column_names=["name", "sha256"])
    sys.exit("was let insert")
except DatabaseError:
    pass

print(
    json.dumps(
        {
            "near": {
                "rows": len(near),
                "types": {column: str(kind) for column, kind in near.dtypes.items()},
                "largest_in": float(near["size_in"].max()),
                "nearest": str(near.iloc[0]["record_id"]),
            },
            "bound": bound.result_rows[0][0],
            "arrow": {"rows": arrow.num_rows, "columns": arrow.num_columns},
            "frame_of_arrow": frame_of_arrow["max_size_in"].tolist(),
            "streamed": streamed,
            "parquet": parquet[:4].decode("ascii"),
        }
    )
)
