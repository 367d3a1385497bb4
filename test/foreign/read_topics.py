"""Reads topics of Hailmark with Confluent's own client and deserializer, from the beginning to the end of each, and prints every message.

Arguments: the brokers, the registry's URL, then topics. One JSON object a line: topic, partition, offset, key, fact. Exits 1 where a message
cannot be decoded.
"""

import base64
import json
import sys

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext


def as_json(value):
    """Bytes as base64, everything else as it is."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    raise TypeError(f"no JSON for {type(value)}")


def read_topic(consumer, deserialize, topic):
    partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
    for partition in sorted(partitions):
        place = TopicPartition(topic, partition)
        low, high = consumer.get_watermark_offsets(place, timeout=10)
        place.offset = low
        consumer.assign([place])
        # The position moves past the marks of transactions, which are no messages.
        while (consumer.position([TopicPartition(topic, partition)])[0].offset or 0) < high:
            message = consumer.poll(5.0)
            if message is None:
                break
            if message.error():
                raise RuntimeError(message.error())
            context = SerializationContext(topic, MessageField.VALUE)
            fact = deserialize(message.value(), context)
            line = {
                "topic": topic,
                "partition": partition,
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
            "fetch.message.max.bytes": 16 * 1024 * 1024,
        }
    )
    deserialize = AvroDeserializer(SchemaRegistryClient({"url": registry_url}))
    for topic in topics:
        read_topic(consumer, deserialize, topic)
    consumer.close()


main()
