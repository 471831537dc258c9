import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { createMessage, readKey, readSignature, verify } from "openpgp";

type Get = (path: string) => Promise<Response>;
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** What a group's index says, found to be whole and signed. */
export interface ReadIndex {
  /** Name, epoch, version and release of each package, as "anvil 0:1.0-1". */
  readonly packages: readonly string[];
  /** The lists by what repomd.xml calls them. */
  readonly lists: ReadonlyMap<string, string>;
}

/**
 * Reads an index as clients do: repomd.xml, its signature, and the lists that it names. `get` fetches a path below the group. Throws
 * where anything is not what it says; null where there is no index.
 */
export async function readIndex(get: Get, armoredKey: string): Promise<ReadIndex | null> {
  const answer = await get("repodata/repomd.xml");
  if (answer.status === 404) {
    return null;
  }
  const repomd = await answer.bytes();
  const armoredSignature = await (await get("repodata/repomd.xml.asc")).text();
  if (!(await isSignedBy(armoredKey, repomd, { armoredSignature }))) {
    throw new Error("The signature of repomd.xml is not of repomd.xml");
  }
  const lists = new Map<string, string>();
  for (const { groups } of Buffer.from(repomd).toString().matchAll(dataElement)) {
    const { type, sha256, openSha256, href, size, openSize } = groups as Record<string, string>;
    const packed = await (await get(href!)).bytes();
    const text = gunzipSync(packed);
    const expected = [`repodata/${sha256}-${type}.xml.gz`, sha256, Number(size), openSha256, Number(openSize)];
    const found = [href, sha256Of(packed), packed.length, sha256Of(text), text.length];
    if (!Bun.deepEquals(found, expected)) {
      throw new Error(`${type} is ${found.join(" ")}, and repomd.xml says ${expected.join(" ")}`);
    }
    lists.set(type!, text.toString());
  }
  const primary = lists.get("primary") ?? "";
  const found = [...primary.matchAll(/<name>(.*)<\/name>\n.*\n.*epoch="(.*)" ver="(.*)" rel="(.*)"/g)];
  for (const name of ["primary", "filelists", "other"]) {
    if (!lists.get(name)?.includes(` packages="${found.length}">`)) {
      throw new Error(`${name} does not say that there are ${found.length} packages`);
    }
  }
  return {
    packages: found.map(([, name, epoch, version, release]) => `${name} ${epoch}:${version}-${release}`),
    lists,
  };
}

const dataElement =
  /<data type="(?<type>\w+)">\s*<checksum type="sha256">(?<sha256>\w+)<\/checksum>\s*<open-checksum type="sha256">(?<openSha256>\w+)<\/open-checksum>\s*<location href="(?<href>[^"]+)"\/>\s*<timestamp>\d+<\/timestamp>\s*<size>(?<size>\d+)<\/size>\s*<open-size>(?<openSize>\d+)<\/open-size>/g;

export async function isSignedBy(
  armoredKey: string,
  binary: Uint8Array,
  signature: { armoredSignature: string } | { binarySignature: Uint8Array },
): Promise<boolean> {
  const read = "armoredSignature" in signature ? readSignature(signature) : readSignature(signature);
  const { signatures } = await verify({
    message: await createMessage({ binary }),
    signature: await read,
    verificationKeys: await readKey({ armoredKey }),
  });
  return (await signatures[0]?.verified.catch(() => false)) ?? false;
}
