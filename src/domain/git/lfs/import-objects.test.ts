import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DiskBlobStore } from "../../../blobs/disk-blob-store.ts";
import { stageObjects } from "./import-objects.ts";

/** A directory of LFS objects as git-lfs lays it out; answers their names. */
async function write(directory: string, contents: readonly string[]): Promise<string[]> {
  return Promise.all(
    contents.map(async (content) => {
      const oid = new Bun.CryptoHasher("sha256").update(content).digest("hex");
      await Bun.write(join(directory, oid.slice(0, 2), oid.slice(2, 4), oid), content);
      return oid;
    }),
  );
}

test("objects are taken in the order of their names, and links are not followed: what lies elsewhere is not the repository's", async () => {
  const root = await mkdtemp(join(tmpdir(), "import-objects-"));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(root, { recursive: true }));
  const [mine, others, tmp] = [join(root, "mine"), join(root, "others"), join(root, "tmp")];
  await mkdir(tmp);
  const oids = await write(mine, ["first", "second"]);
  const [foreign = ""] = await write(others, ["foreign"]);
  const file = join(foreign.slice(0, 2), foreign.slice(2, 4), foreign);
  await symlink(others, join(mine, "others"));
  await mkdir(dirname(join(mine, file)), { recursive: true });
  await symlink(join(others, file), join(mine, file));
  await symlink(join(others, dirname(file)), join(mine, foreign.slice(0, 2), "ff"));
  await symlink("..", join(mine, foreign.slice(0, 2), "again"));
  await Bun.write(join(mine, "incomplete", foreign), "for");

  await using staged = new AsyncDisposableStack();
  const store = await DiskBlobStore.open(join(root, "blobs"), tmp);
  const objects = await stageObjects(store, mine, staged, { bytes: 100 }, () => {});
  expect(objects.map(({ sha256 }) => sha256)).toEqual(oids.sort());
});
