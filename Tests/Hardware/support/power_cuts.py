"""What a power cut leaves of a disk's writes."""

import random
from dataclasses import dataclass

from virtual_disk import Flush, Write

#: Bytes that a disk writes as a whole.
SECTOR = 512


@dataclass(frozen=True)
class Cut:
    """The contents of the disk after a power cut at a moment."""

    at: int
    contents: bytes
    what: str


def cuts(first: bytes, history: list[Write | Flush], chance: random.Random, *, subsets: int, every=1):
    """At each flush, or at each so many, the last moment before it is done: once without any write of the
    cache, and `subsets` times at a random moment since the flush before, with a random part of the cache."""
    kept, cache, since, flushes = bytearray(first), [], 0, 0
    for number, event in enumerate(history):
        if isinstance(event, Write):
            cache.append(event)
            continue
        if flushes % every == 0:
            yield Cut(event.done - 1, bytes(kept), f"before event {number}")
            for _ in range(subsets if cache else 0):
                at = chance.randint(since, event.done - 1)
                known = [write for write in cache if write.at <= at]
                yield Cut(at, with_part_of(kept, known, chance), f"in event {number}")
        flushes += 1
        for write in cache:
            kept[write.offset:write.offset + len(write.data)] = write.data
        cache, since = [], event.done
    yield Cut(history[-1].done if isinstance(history[-1], Flush) else history[-1].at, bytes(kept), "at the end")


def at_once(first: bytes, history: list[Write | Flush], chance: random.Random) -> bytes:
    """What a power cut now leaves: all that was flushed, and a random part of the cache."""
    last = max((number for number, event in enumerate(history) if isinstance(event, Flush)), default=-1)
    kept = bytearray(first)
    for event in history[:last + 1]:
        if isinstance(event, Write):
            kept[event.offset:event.offset + len(event.data)] = event.data
    return with_part_of(kept, history[last + 1:], chance)


def with_part_of(kept: bytearray, cache: list[Write], chance: random.Random) -> bytes:
    """A cache writes in any order, and of each write any sectors. Only of the state's files: file systems
    rely on it that the block with their superblock is written as a whole."""
    contents = bytearray(kept)
    share = chance.choice((0.1, 0.5, 0.9, 1))
    for write in cache:
        is_torn = chance.random() < 0.2 and b'{"' in write.data
        if not is_torn and chance.random() >= share:
            continue
        for begin in range(0, len(write.data), SECTOR):
            if not is_torn or chance.random() < 0.5:
                part = write.data[begin:begin + SECTOR]
                contents[write.offset + begin:write.offset + begin + len(part)] = part
    return bytes(contents)
