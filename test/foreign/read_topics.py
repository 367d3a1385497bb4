"""Reads topics of Hailmark with Confluent's own client and deserializer, from the beginning to the end of each, and prints every message.

Arguments: the brokers, the registry's URL, then topics. One JSON object a line: topic, partition, offset, key, fact. Exits 1 where a message
cannot be decoded.
"""

import base64
import json
import sys

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext


def as_json(value):
    """Bytes as base64, everything else as it is."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    raise TypeError(f"no JSON for {type(value)}")


# Past so many seconds without a word the broker is away: an end, of an empty partition too, is told at once.
PATIENCE_S = 60


def read_topics(consumer, deserialize, topics):
    places = []
    for topic in topics:
        for partition in sorted(consumer.list_topics(topic, timeout=PATIENCE_S).topics[topic].partitions):
            low, _ = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=PATIENCE_S)
            places.append(TopicPartition(topic, partition, low))
    consumer.assign(places)
    unread = {(place.topic, place.partition) for place in places}
    while unread:
        message = consumer.poll(PATIENCE_S)
        if message is None:
            raise RuntimeError(f"nothing within {PATIENCE_S} s; not at their end: {sorted(unread)}")
        # The end stands behind the marks of transactions, which are no messages.
        if message.error() and message.error().code() == KafkaError._PARTITION_EOF:
            unread.discard((message.topic(), message.partition()))
            continue
        if message.error():
            raise RuntimeError(message.error())
        context = SerializationContext(message.topic(), MessageField.VALUE)
        fact = deserialize(message.value(), context)
        line = {
            "topic": message.topic(),
            "partition": message.partition(),
            "offset": message.offset(),
            "key": message.key().decode("utf-8"),
            "fact": fact,
        }
        print(json.dumps(line, default=as_json))


def main():
    brokers, registry_url, *topics = sys.argv[1:]
    consumer = Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": "a-foreign-reader",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "fetch.message.max.bytes": 16 * 1024 * 1024,
        }
    )
    deserialize = AvroDeserializer(SchemaRegistryClient({"url": registry_url}))
    read_topics(consumer, deserialize, topics)
    consumer.close()


main()
