import { expect, test } from "bun:test";
import { Revisions } from "./revisions.ts";

/** Revisions of a repository that is pushed to again and again; and how often its refs were read. */
function pushedTo() {
  const repository = { id: 1, generation: 1 };
  const counts = { reads: 0 };
  const refs = {
    listRefsWithGeneration: async () => {
      counts.reads++;
      return {
        refs: Array.from({ length: 100 }, (_, number) => ({ name: `refs/heads/${number}`, oid: "ab".repeat(20) })),
        generation: repository.generation,
      };
    },
  };
  const revisions = new Revisions({} as never, {} as never, refs as never);
  return { repository, counts, revisions };
}

test("all refs are read once for a generation, and whoever knows an older one gets the newer", async () => {
  const { repository, counts, revisions } = pushedTo();
  const older = { ...repository };
  const first = await revisions.list(repository);
  expect(await revisions.list(repository)).toBe(first);
  repository.generation = 2;
  const second = await revisions.list(repository);
  expect(second.generation).toBe(2);
  expect(await revisions.list(older)).toBe(second);
  expect(counts.reads).toBe(2);
});

test("of a repository's refs only the newest list is kept", async () => {
  const { repository, revisions } = pushedTo();
  const lists: WeakRef<object>[] = [];
  for (let push = 1; push <= 40; push++) {
    repository.generation = push;
    lists.push(new WeakRef((await revisions.list(repository)).refs));
  }
  // What a WeakRef was made for in this turn stays until its end.
  await new Promise(setImmediate);
  Bun.gc(true);
  // The collector takes what it finds on the stack for others.
  expect(lists.filter((list) => list.deref() !== undefined).length).toBeLessThan(10);
  expect((await revisions.list(repository)).generation).toBe(40);
});
