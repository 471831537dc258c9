import type { Actor, RepositoryRow } from "../../auth/subject.ts";
import { isTagName } from "../../git/refs/ref-name.ts";
import type { Ref } from "../../git/refs/ref.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { ScratchDirectory } from "../../lib/scratch-directory.ts";
import { identityOf } from "../commits/identity.ts";
import { Conflict } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { namePacks } from "../packs/name-packs.ts";
import { againIfRepacked } from "../packs/packs-replaced.ts";
import { changeRefs } from "../refs/change-refs.ts";

export interface NewTag {
  /** Without refs/tags/. */
  name: string;
  /** A branch, tag or commit; the default branch otherwise. */
  target?: string | undefined;
  /** With a message the tag is an annotated one. */
  message?: string | undefined;
}

/**
 * Creates a tag. Throws InvalidInput (the name), NotFound (the target), Conflict (it exists),
 * RefsRefused (another name is in the way).
 */
export function createTag(forge: Forge, repository: RepositoryRow, actor: Actor, tag: NewTag): Promise<Ref> {
  return againIfRepacked(() => tryCreate(forge, repository, actor, tag));
}

async function tryCreate(forge: Forge, repository: RepositoryRow, actor: Actor, tag: NewTag): Promise<Ref> {
  if (tag.name.length > 255 || !isTagName(tag.name)) {
    throw new InvalidInput(`"${tag.name.slice(0, 100)}" cannot be the name of a tag`, "tag_name");
  }
  const name = `refs/tags/${tag.name}`;
  const target = await forge.revisions.get(repository, tag.target);
  if ((await forge.refs.findRef(repository.id, name)) !== null) {
    throw new Conflict(`The tag "${tag.name}" exists already`, { tag: tag.name });
  }
  const message = (tag.message ?? "").replaceAll("\r\n", "\n").replaceAll("\0", "").trim();
  await using scratch = await ScratchDirectory.make(forge.temporaryDirectory);
  const annotated =
    message === ""
      ? null
      : await forge.git.write(target.view, "createTag", {
          object: target.commit,
          name: tag.name,
          tagger: { ...identityOf(forge.addresses, actor), seconds: Math.floor(Date.now() / 1000), offsetMinutes: 0 },
          message: `${message}\n`,
          destination: { directory: forge.packDirectory, temporary: scratch.path },
        });
  const ref: Ref = { name, oid: annotated?.oid ?? target.commit, peeled: annotated === null ? null : target.commit };
  const packs = annotated?.pack ? [annotated.pack] : [];
  await namePacks(forge.database.db, packs, (tx) =>
    changeRefs(tx, {
      repositoryId: repository.id,
      repositoryName: repository.name,
      actorId: actor.id,
      policy: forge.config.git,
      reason: "create tag",
      changes: [{ name, oldOid: null, newOid: ref.oid, peeled: ref.peeled }],
      packs,
      atomic: true,
      ...(annotated === null ? {} : { checkedIn: target.view }),
    }),
  );
  return ref;
}
