import { expect, test } from "bun:test";
import { HostileInput } from "../support/hostile-input.ts";

/** Hostile bodies of requests for anything but repositories, as somebody who may do everything: none of it may be a fault of the server. */

const input = await HostileInput.use();

test("bodies for users, organizations and the rest", async () => {
  await input.sendBodies((path) => !path.startsWith("/repos/"));
  expect(input.failures).toEqual([]);
  expect(input.sent).toBeGreaterThan(1000);
  // What is sent to something that is not there tries nothing.
  expect(input.missed / input.sent).toBeLessThan(0.1);
});
