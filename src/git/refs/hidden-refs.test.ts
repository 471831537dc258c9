import { expect, test } from "bun:test";
import { isHiddenRef, visibleRefs } from "./hidden-refs.ts";

test("a prefix hides whole names and what is below them; the last that fits decides", async () => {
  const prefixes = ["refs/internal", "refs/keep/", "!refs/internal/shown"];
  const hidden = ["refs/internal", "refs/internal/a", "refs/keep/a/b"];
  const shown = ["refs/internally", "refs/heads/main", "refs/keep", "refs/internal/shown", "refs/internal/shown/a"];
  expect([...hidden, ...shown].filter((name) => isHiddenRef(name, prefixes))).toEqual(hidden);
  const refs = [...hidden, ...shown].map((name) => ({ name, oid: "1", peeled: null }));
  expect((await visibleRefs(refs, prefixes)).map((ref) => ref.name)).toEqual(shown);
  expect(await visibleRefs(refs, [])).toBe(refs);
});
