import { expect, test } from "bun:test";
import { HostileInput } from "../support/hostile-input.ts";

/** Hostile queries and paths, as somebody who may do everything: none of it may be a fault of the server. */

const input = await HostileInput.use();

test("queries and paths", async () => {
  await input.sendAddresses();
  expect(input.failures).toEqual([]);
  expect(input.sent).toBeGreaterThan(1000);
});
