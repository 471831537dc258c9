import { expect, test } from "bun:test";
import { NeedsHeavyLane } from "../job/lane.ts";
import { callInLanes, streamInLanes } from "./in-lanes.ts";

async function* chunks(texts: string[], error?: Error): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    yield Buffer.from(text);
  }
  if (error !== undefined) {
    throw error;
  }
}

const textOf = async (stream: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(stream)).toString();

test("a call that is heavy is done again, and only such a one", async () => {
  const heavy = async () => "heavy";
  expect(await callInLanes(async () => "light", heavy)).toBe("light");
  expect(await callInLanes(() => Promise.reject(new NeedsHeavyLane()), heavy)).toBe("heavy");
  expect(callInLanes(() => Promise.reject(new Error("other")), heavy)).rejects.toThrow("other");
});

test.each([[["ab"]], [["a", "b"]], [["abc"]], [["a"]], [[]]])("a stream goes on where %j ended", async (given) => {
  const light = () => chunks(given, new NeedsHeavyLane());
  expect(await textOf(streamInLanes(light, () => chunks(["a", "bcd", "e"])))).toBe("abcde");
});

test("a stream that is not heavy is given as it is", async () => {
  const light = () => chunks(["a", "b"]);
  expect(await textOf(streamInLanes(light, () => chunks(["c"])))).toBe("ab");
  expect(textOf(streamInLanes(() => chunks(["a"], new Error("other")), light))).rejects.toThrow("other");
});

test("a stream that is another one the second time is broken off", () => {
  const light = () => chunks(["ab"], new NeedsHeavyLane());
  expect(textOf(streamInLanes(light, () => chunks(["a", "xcd"])))).rejects.toThrow("made again");
});
