import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Doer } from "../spine/doer.ts";
import { NotFound } from "../spine/errors.ts";
import { namedRepository } from "../spine/events/names.ts";
import type { Forge } from "../spine/forge.ts";
import { updateRepository } from "../repos/queries.ts";
import type { Work } from "../spine/work.ts";
import { publishPicture } from "../identity/avatars/publish-picture.ts";

type Pictured = Pick<RepositoryAccess, "repository" | "owner">;

/** Gives a repository a picture; the one before goes when nothing else has it. Throws InvalidImage, and NotFound. */
export async function setRepositoryAvatar(
  forge: Forge,
  doer: Doer,
  access: Pictured,
  content: Uint8Array,
): Promise<void> {
  await publishPicture(forge, doer, content, (work, sha256) => setPicture(work, access, sha256));
}

/** Takes a repository's picture away. Throws NotFound when the repository is gone. */
export async function removeRepositoryAvatar(work: Work, access: Pictured): Promise<void> {
  await setPicture(work, access, null);
}

async function setPicture(work: Work, { repository, owner }: Pictured, avatarSha256: Uint8Array | null): Promise<void> {
  const row = await updateRepository(work.tx, repository.id, { avatarSha256 });
  if (row === null) {
    throw new NotFound("repository", `${owner.name}/${repository.name}`);
  }
  work.tell({
    kind: "repository.edited",
    repository: namedRepository({ repository: row, owner }),
    changed: ["avatarSha256"],
  });
}
