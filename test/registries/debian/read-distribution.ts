import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { readCleartextMessage, readKey, verify } from "openpgp";
import type { DebianRegistry } from "./registry.ts";

/**
 * Reads a distribution as a careful client does: the signature of InRelease first, then every list that it names by its hash. Throws when
 * anything does not agree. Returns the names of the files in the pool, sorted; empty where there is no such distribution.
 */
export async function readDistribution(registry: DebianRegistry, distribution: string): Promise<string[]> {
  const answer = await registry.get(`dists/${distribution}/InRelease`);
  if (answer.status === 404) {
    return [];
  }
  const message = await readCleartextMessage({ cleartextMessage: await answer.text() });
  const verificationKeys = await readKey({ armoredKey: await registry.text("repository.key") });
  const { data, signatures } = await verify({ message, verificationKeys });
  await signatures[0]?.verified;
  const names = new Set<string>();
  const [, block = ""] = data.split("\nSHA512:\n");
  const listed = [...block.matchAll(/^ ([0-9a-f]{128}) (\d+) (.*)\/([^/\n]*)$/gm)];
  if (signatures.length !== 1 || listed.length === 0) {
    throw new Error(`This is no signed Release that names files:\n${data}`);
  }
  for (const [, hash = "", size, directory, name] of listed) {
    const part = await registry.get(`dists/${distribution}/${directory}/by-hash/SHA512/${hash}`);
    const bytes = await part.bytes();
    if (
      part.status !== 200 ||
      String(bytes.length) !== size ||
      createHash("sha512").update(bytes).digest("hex") !== hash
    ) {
      throw new Error(`${directory}/${name}: ${part.status}, ${bytes.length} bytes, and not what the Release says`);
    }
    const text = name === "Packages.gz" ? gunzipSync(bytes).toString() : Buffer.from(bytes).toString();
    for (const [, file = ""] of text.matchAll(/^Filename: (.*)$/gm)) {
      names.add(file);
    }
  }
  return [...names].sort();
}
