import type { Event } from "../../src/domain/spine/events.ts";
import { subscribers, type Subscriber } from "../../src/domain/server/subscribers.ts";

/** Returns the list of all events that are told in this process from now on, which grows with them. */
export function hearEvents(): Event[] {
  const heard: Event[] = [];
  (subscribers as Subscriber[]).push((_, event) => void heard.push(event));
  return heard;
}
