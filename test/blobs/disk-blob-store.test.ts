import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DiskBlobStore } from "../../src/blobs/disk-blob-store.ts";
import { Scratch } from "../support/git.ts";
import { describeBlobStore } from "./blob-store-suite.ts";

const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

async function make(name: string) {
  const [directory, temporary] = [scratch.join(name, "blobs"), scratch.join(name, "tmp")];
  mkdirSync(temporary, { recursive: true });
  const pathOf = (sha256: string) => join(directory, sha256.slice(0, 2), sha256);
  return {
    directory,
    pathOf,
    store: await DiskBlobStore.open(directory, temporary),
    age: async (sha256: string, ms: number) =>
      utimesSync(pathOf(sha256), (Date.now() - ms) / 1000, (Date.now() - ms) / 1000),
    leftovers: async () =>
      [directory, temporary].flatMap((path) => readdirSync(path, { recursive: true }).map(String)).sort(),
  };
}

describeBlobStore("the store on disk", () => make("suite"));

test("only a SHA-256 names a file", async () => {
  const { store } = await make("names");
  await expect(store.find("../../etc/passwd")).rejects.toThrow(TypeError);
  await expect(store.remove("../../etc/passwd")).rejects.toThrow(TypeError);
});
