import type { RepositoryAccess } from "../../../auth/subject.ts";
import { isTagName } from "../../../git/refs/ref-name.ts";
import type { Ref } from "../../../git/refs/ref.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { identityOf } from "../../git/commits/identity.ts";
import { actorOf, type Doer } from "../../spine/doer.ts";
import { Conflict } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { againIfRepacked } from "../../git/packs/packs-replaced.ts";
import { moveRefs, type MoveRefs } from "../../git/refs/move-refs.ts";
import { writeObjects } from "../../git/refs/write-objects.ts";
import type { Work } from "../../spine/work.ts";

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
export function createTag(forge: Forge, doer: Doer, access: RepositoryAccess, tag: NewTag): Promise<Ref> {
  return againIfRepacked(() => tryCreate(forge, doer, access, tag));
}

async function tryCreate(forge: Forge, doer: Doer, access: RepositoryAccess, tag: NewTag): Promise<Ref> {
  if (tag.name.length > 255 || !isTagName(tag.name)) {
    throw new InvalidInput(`"${tag.name.slice(0, 100)}" cannot be the name of a tag`, "tag_name");
  }
  const { repository } = access;
  const name = `refs/tags/${tag.name}`;
  const target = await forge.git.revisions.get(repository, tag.target);
  if ((await forge.git.refs.findRef(repository.id, name)) !== null) {
    throw new Conflict(`The tag "${tag.name}" exists already`, { tag: tag.name });
  }
  const move = async (work: Work, ref: Ref, further: Pick<MoveRefs, "packs" | "checkedIn">): Promise<Ref> => {
    const changes = [{ name, oldOid: null, newOid: ref.oid, peeled: ref.peeled }];
    await moveRefs(work, { repository: namedRepository(access), changes, reason: "create tag", ...further });
    return ref;
  };
  const message = (tag.message ?? "").replaceAll("\r\n", "\n").replaceAll("\0", "").trim();
  if (message === "") {
    return forge.change(doer, (work) => move(work, { name, oid: target.commit, peeled: null }, {}));
  }
  const tagger = {
    ...identityOf(forge.addresses, actorOf(doer)),
    seconds: Math.floor(Date.now() / 1000),
    offsetMinutes: 0,
  };
  return writeObjects(
    forge,
    doer,
    (destination) =>
      forge.git.engine.write(target.view, "createTag", {
        object: target.commit,
        name: tag.name,
        tagger,
        message: `${message}\n`,
        destination,
      }),
    (work, { oid }, packs) => move(work, { name, oid, peeled: target.commit }, { packs, checkedIn: target.view }),
  );
}
