import { expect, test } from "bun:test";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { silentLogger } from "../../lib/log.ts";
import type { ResolvedFetch } from "../../git/transport/fetch-request.ts";
import type { Forge } from "../forge.ts";
import { fetchSource } from "./fetch-source.ts";

test("an answer is opened when it is read, so that one that fails unread fails for nobody", async () => {
  let opened = 0;
  const views = {
    current: () => {
      opened++;
      return Promise.reject(new Error("The database is gone"));
    },
  };
  const forge = { views, git: {}, log: silentLogger } as unknown as Forge;
  const access = { repository: { id: 1, objectFormat: "sha1", defaultBranch: "main" } } as RepositoryAccess;
  const source = fetchSource(forge, access, new AbortController().signal);
  const unread = source.fetchPack({} as ResolvedFetch)[Symbol.asyncIterator]();
  await unread.return?.();
  expect(opened).toBe(0);
  await expect(source.fetchPack({} as ResolvedFetch)[Symbol.asyncIterator]().next()).rejects.toThrow("The database is gone");
  expect(opened).toBe(1);
});
