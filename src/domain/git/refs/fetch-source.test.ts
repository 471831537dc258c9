import { expect, test } from "bun:test";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { GitEngine } from "../../../git/engine.ts";
import { silentLogger } from "../../../lib/log.ts";
import type { ResolvedFetch } from "../../../git/transport/fetch-request.ts";
import type { Forge } from "../../spine/forge.ts";
import type { RepositoryViews } from "../packs/repository-views.ts";
import { fetchSource } from "./fetch-source.ts";
import type { RefQueries } from "./queries.ts";
import { Revisions } from "./revisions.ts";

test("an answer is opened when it is read, so that one that fails unread fails for nobody", async () => {
  let opened = 0;
  const views = {
    current: () => {
      opened++;
      return Promise.reject(new Error("The database is gone"));
    },
  };
  const forge = { git: { views, engine: {} }, log: silentLogger } as unknown as Forge;
  const access = { repository: { id: 1, objectFormat: "sha1", defaultBranch: "main" } } as RepositoryAccess;
  const source = fetchSource(forge, access, new AbortController().signal, async () => null);
  const unread = source.fetchPack({} as ResolvedFetch)[Symbol.asyncIterator]();
  await unread.return?.();
  expect(opened).toBe(0);
  const read = source.fetchPack({} as ResolvedFetch)[Symbol.asyncIterator]();
  await expect(read.next()).rejects.toThrow("The database is gone");
  expect(opened).toBe(1);
});

test("the packs are those of the refs that were read, where these are newer than the repository's row, too", async () => {
  const asked: number[] = [];
  let reads = 0;
  const views = {
    view: ({ generation }: { generation: number }) => {
      asked.push(generation);
      return Promise.resolve({});
    },
  } as unknown as RepositoryViews;
  const refs = {
    listRefsWithGeneration: () => {
      reads++;
      return Promise.resolve({ refs: [], generation: 8 });
    },
  } as unknown as RefQueries;
  const git = { stream: () => new Response("pack").body } as unknown as GitEngine;
  const forge = {
    git: { engine: git, views, revisions: new Revisions(git, views, refs) },
    log: silentLogger,
    config: { git: { hidden_refs: [] } },
  } as unknown as Forge;
  const access = {
    repository: { id: 1, generation: 7, objectFormat: "sha1", defaultBranch: "main" },
  } as RepositoryAccess;
  for (let fetches = 1; fetches <= 2; fetches++) {
    const source = fetchSource(forge, access, new AbortController().signal, async () => null);
    await source.listRefs();
    await Array.fromAsync(source.fetchPack({} as ResolvedFetch));
  }
  expect(asked).toEqual([8, 8]);
  expect(reads).toBe(1);
});
