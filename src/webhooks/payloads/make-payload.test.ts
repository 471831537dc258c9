import { expect, test } from "bun:test";
import { hookedKinds } from "../../domain/spine/events.ts";
import type { PayloadMakers } from "./make-payload.ts";

/** What does not compile here (`@ts-expect-error`) fails `bun run types` on the day that it would. */

test("a kind that webhooks hear of and that has no payload maker does not compile", () => {
  const kinds: readonly (keyof PayloadMakers)[] = hookedKinds;
  const { "issue.closed": _, ...others } = Object.fromEntries(
    kinds.map((kind) => [kind, async () => null]),
  ) as unknown as PayloadMakers;
  // @ts-expect-error the maker of "issue.closed" is missing
  const makers: PayloadMakers = others;
  expect(Object.keys(makers).length).toBe(kinds.length - 1);
});
