"""Folds a log as AgentScope's own consumers do and prints the nanoseconds an event took.

A line becomes JSON, JSON becomes an event by the union that the package ships, and the event goes to the message of its reply.
"""

import json
import sys
import time

from pydantic import TypeAdapter

from agentscope.event import AgentEvent, ReplyStartEvent
from agentscope.message import AssistantMsg


def fold(lines, adapter):
    messages = {}
    for line in lines:
        event = adapter.validate_python(json.loads(line))
        if isinstance(event, ReplyStartEvent):
            if event.reply_id not in messages:
                messages[event.reply_id] = AssistantMsg(id=event.reply_id, name=event.name, content=[])
        else:
            messages[event.reply_id].append_event(event)
    return messages


def main():
    with open(sys.argv[1], "rb") as file:
        lines = file.read().splitlines()
    adapter = TypeAdapter(AgentEvent)
    times = []
    for _ in range(3):
        start = time.perf_counter_ns()
        messages = fold(lines, adapter)
        times.append(time.perf_counter_ns() - start)
    blocks = sum(len(message.content) for message in messages.values())
    print(sorted(times)[1] / len(lines), len(messages), blocks)


main()
