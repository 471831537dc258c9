import type { RepositoryAccess } from "../../../auth/subject.ts";
import { checkAttachmentName } from "../attachments/attachment-name.ts";
import { InvalidAttachment } from "../attachments/errors.ts";
import type { StagedAttachment } from "../attachments/stage-attachment.ts";
import { publishBlob } from "../../git/blobs/publish-blob.ts";
import type { Doer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { lockForRelease } from "../releases/lock-for-release.ts";
import type { Work } from "../../spine/work.ts";
import { deleteArtifactRow, findArtifact, insertArtifact, type ArtifactRow } from "./queries.ts";

/** A file that a run left. */
export interface NewArtifact {
  runNumber: number;
  name: string;
  content: StagedAttachment | { externalUrl: string };
}

/**
 * Keeps a file of a run. Throws InvalidAttachment (its name, or an address in place of a file), Conflict (the run has one of this name),
 * NotFound, RepositoryArchived.
 */
export async function addArtifact(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  { runNumber, name, content }: NewArtifact,
): Promise<ArtifactRow> {
  checkAttachmentName(name);
  if (!("blob" in content)) {
    throw new InvalidAttachment("An artifact is a file: external_url is not for artifacts");
  }
  const { blob } = content;
  return forge.change(doer, { blobs: [blob] }, async (work) => {
    const repository = await lockForRelease(work, access);
    await publishBlob(work.tx, blob);
    const row = await insertArtifact(work.tx, {
      repositoryId: repository.id,
      runNumber,
      name,
      sha256: Buffer.from(blob.sha256, "hex"),
      bytes: blob.bytes,
      uploaderId: work.actorId,
    });
    if (row === null) {
      throw new Conflict(`The run ${runNumber} has an artifact of the name "${name}" already; delete it first`);
    }
    work.tell({ kind: "artifact.uploaded", repository, artifact: { bytes: row.bytes } });
    return row;
  });
}

/** Deletes an artifact; its bytes go when nothing else refers to them. Throws NotFound, RepositoryArchived. */
export async function deleteArtifact(work: Work, access: RepositoryAccess, id: number): Promise<void> {
  const repository = await lockForRelease(work, access);
  if ((await findArtifact(work.tx, repository.id, id)) === null) {
    throw new NotFound("artifact", String(id));
  }
  await deleteArtifactRow(work.tx, id);
}
