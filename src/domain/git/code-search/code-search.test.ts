import { expect, test } from "bun:test";
import type { RepositoryRow } from "../../../auth/subject.ts";
import { actAs } from "../../../lib/request-context.ts";
import { CodeSearch } from "./code-search.ts";

type Parts = ConstructorParameters<typeof CodeSearch>;
const repository = { empty: false } as RepositoryRow;
const revisions = { get: async () => ({ commit: "a".repeat(40), view: {} }) } as unknown as Parts[1];
const query = { paths: [], regex: false, ignoreCase: false, wholeWord: false, context: 0 };

test("those who search too much are told so, those who wait too long as well, and others find their turn", async () => {
  const ended = Promise.withResolvers<void>();
  let running = 0;
  const git = {
    async call() {
      running++;
      await ended.promise;
      return { files: [], truncated: false, leftOut: 0 };
    },
  } as unknown as Parts[0];
  const searches = new CodeSearch(git, revisions, 50);
  const { signal } = new AbortController();
  const find = (who: string, pattern: string) =>
    actAs(who, () => searches.find(repository, { ...query, pattern }, signal)).then(
      () => "found",
      (error: { code?: string }) => error.code ?? String(error),
    );
  const many = Array.from({ length: 30 }, (_, index) => find("flood", `${index}`));
  // Two run, sixteen wait until they give up, and the others are refused at once.
  const other = find("other", "x");
  const late = await Promise.all(many.slice(2));
  expect(late.filter((code) => code === "share-full")).toHaveLength(12);
  expect(late.filter((code) => code === "server-busy")).toHaveLength(16);
  expect(running).toBe(3);
  ended.resolve();
  expect(await Promise.all([other, ...many.slice(0, 2)])).toEqual(["found", "found", "found"]);
  expect(await find("flood", "29")).toBe("found");
});
