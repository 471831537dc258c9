import type { Actor } from "../../auth/subject.ts";
import type { ObjectFormatName } from "../../git/objects/object-format.ts";
import type { PackDestination, StagedPack } from "../../git/pack/staged-pack.ts";
import { identityOf } from "../git/commits/identity.ts";
import type { Forge } from "../spine/forge.ts";
import type { FirstFile } from "./first-files.ts";

/** Writes the first commit of a repository that does not exist yet, as a pack. */
export async function writeFirstCommit(
  forge: Forge,
  actor: Actor,
  format: ObjectFormatName,
  files: readonly FirstFile[],
  destination: PackDestination,
): Promise<{ commit: string; pack: StagedPack }> {
  const view = { key: `new-${crypto.randomUUID()}:0`, format, packs: [] };
  const encoder = new TextEncoder();
  const signature = { ...identityOf(forge.addresses, actor), seconds: Math.floor(Date.now() / 1000), offsetMinutes: 0 };
  const { commit, pack } = await forge.git.engine.write(view, "commitChanges", {
    parents: [],
    changes: files.map(({ path, text }) => ({
      operation: "create",
      path,
      fromPath: null,
      bytes: encoder.encode(text),
      mode: null,
      expectedOid: null,
    })),
    author: signature,
    committer: signature,
    message: "Initial commit\n",
    destination,
  });
  if (pack === null) {
    throw new Error("A first commit made no pack");
  }
  return { commit, pack };
}
