import { expect, test } from "bun:test";
import { LiveHub } from "./live-hub.ts";

test("a listener hears of its subjects, once for each change, until it stops", () => {
  using hub = new LiveHub();
  const heard: string[] = [];
  const both = hub.listen(["issue:1", "code:1"], () => heard.push("both"));
  hub.listen(["issue:2"], () => heard.push("two"));
  hub.tell(["issue:1", "code:1"]);
  hub.tell(["issue:2"]);
  hub.tell(["inbox:1"]);
  expect(heard).toEqual(["both", "two"]);
  both[Symbol.dispose]();
  hub.tell(["issue:1", "issue:2"]);
  expect(heard).toEqual(["both", "two", "two"]);
});

test("a change is remembered for who was reading meanwhile; what was forgotten counts as changed", () => {
  using hub = new LiveHub();
  const before = Date.now();
  hub.tell(["issue:1"]);
  expect(hub.hasChanged(["issue:1"], before)).toBe(true);
  expect(hub.hasChanged(["issue:2"], before)).toBe(false);
  expect(hub.hasChanged(["issue:1"], Date.now() + 1)).toBe(false);
  expect(hub.hasChanged(["issue:2"], before - 60_000)).toBe(true);
  hub.tell(Array.from({ length: 10_000 }, (_, index) => `issue:${index + 10}` as const));
  expect(hub.hasChanged(["issue:2"], before)).toBe(true);
  expect(hub.hasChanged(["issue:2"], Date.now() + 1)).toBe(false);
});

test("its end is told to streams", () => {
  const hub = new LiveHub();
  const { closing } = hub;
  expect(closing.aborted).toBe(false);
  hub[Symbol.dispose]();
  expect(closing.aborted).toBe(true);
});
