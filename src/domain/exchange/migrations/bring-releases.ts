import type { RepositoryAccess } from "../../../auth/subject.ts";
import { addAsset } from "../../repos/releases/assets.ts";
import { checkAttachment } from "../../repos/attachments/add-attachment.ts";
import { checkAttachmentName } from "../../repos/attachments/attachment-name.ts";
import { InvalidAttachment } from "../../repos/attachments/errors.ts";
import { attachmentsOfReleases } from "../../repos/attachments/queries.ts";
import { stageAttachment } from "../../repos/attachments/stage-attachment.ts";
import { BlobTooLarge } from "../../../blobs/blob-store.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { hasTag } from "../../git/refs/queries.ts";
import { findReleaseRow, insertRelease } from "../../repos/releases/queries.ts";
import { RemoteFailed } from "../remotes/errors.ts";
import { instantOf, itemOf, numberOf, textOf } from "./read-items.ts";
import type { SourceAuthors } from "./source-authors.ts";
import type { SourceClient } from "./source-client.ts";
import { parseWebAddress } from "../../../lib/web-address.ts";

const doer = serverDoer("migration");
const longestTitle = 255;
const mostReleases = 20_000;

export interface BringReleases {
  access: RepositoryAccess;
  authors: SourceAuthors;
  signal: AbortSignal;
  /** Called when a release is there. */
  onRelease: () => Promise<void>;
}

/**
 * Brings the releases whose tag is there, with their files. Drafts stay where they are. A file that this server does not take, because of its
 * size or kind, stays where it is, and the release leads to it. Returns how many did. Throws RemoteFailed.
 */
export async function bringReleases(forge: Forge, client: SourceClient, request: BringReleases): Promise<number> {
  let left = 0;
  for await (const { items } of client.pages("/releases", mostReleases)) {
    await request.authors.learn(items);
    for (const value of items) {
      const release = await bringRelease(forge, request, value);
      if (release !== null) {
        left += await bringFiles(forge, client, request, release, itemOf(value)["assets"]);
      }
      await request.onRelease();
    }
  }
  return left;
}

/** Returns the id of the release; null for one that is not brought. */
async function bringRelease(forge: Forge, { access, authors }: BringReleases, value: unknown): Promise<number | null> {
  const item = itemOf(value);
  const tagName = textOf(item["tag_name"]);
  const repositoryId = access.repository.id;
  if (item["draft"] === true || tagName === "") {
    return null;
  }
  return forge.change(doer, async ({ tx }) => {
    const present = await findReleaseRow(tx, repositoryId, { tag: tagName });
    if (present !== null || !(await hasTag(tx, repositoryId, tagName))) {
      return present?.id ?? null;
    }
    const { id } = await insertRelease(tx, repositoryId, {
      tagName,
      title: textOf(item["name"]).slice(0, longestTitle),
      body: textOf(item["body"]),
      target: textOf(item["target_commitish"]).slice(0, longestTitle),
      draft: false,
      prerelease: item["prerelease"] === true,
      hideArchiveLinks: false,
      authorId: authors.of(item).authorId,
      publishedAt: instantOf(item["published_at"]) ?? instantOf(item["created_at"]) ?? new Date(),
    });
    return id;
  });
}

/** Brings those files of a release that it has not. Returns how many stayed where they are. */
async function bringFiles(
  forge: Forge,
  client: SourceClient,
  { access, signal }: BringReleases,
  releaseId: number,
  assets: unknown,
): Promise<number> {
  const present = new Set((await attachmentsOfReleases(forge.database.db, [releaseId])).map(({ name }) => name));
  let left = 0;
  for (const value of Array.isArray(assets) ? assets : []) {
    signal.throwIfAborted();
    const item = itemOf(value);
    const name = textOf(item["name"]);
    if (present.has(name) || !isName(name)) {
      continue;
    }
    present.add(name);
    left += (await bringFile(forge, client, access, releaseId, name, item)) ? 0 : 1;
  }
  return left;
}

async function bringFile(
  forge: Forge,
  client: SourceClient,
  access: RepositoryAccess,
  releaseId: number,
  name: string,
  item: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const external = textOf(item["browser_download_url"]);
  const limit = forge.config.attachments.file_limit_bytes;
  try {
    if (numberOf(item["size"]) > limit) {
      throw new BlobTooLarge(limit);
    }
    // Of a private repository GitHub gives the file only at the address of its API.
    const url = client.service === "github" ? textOf(item["url"]) || external : external;
    await using content = await stageAttachment(forge, await client.file(url, limit + 1));
    checkAttachment(forge.config, { name, content });
    await addAsset(forge, doer, access, releaseId, { name, content });
    return true;
  } catch (error) {
    if (!(error instanceof InvalidAttachment || error instanceof BlobTooLarge)) {
      throw error;
    }
    if (parseWebAddress(external) === null) {
      throw new RemoteFailed("refused", `The file ${name.slice(0, 80)} of a release cannot be taken: ${error.message}`);
    }
    await addAsset(forge, doer, access, releaseId, { name, content: { externalUrl: external } });
    return false;
  }
}

function isName(name: string): boolean {
  try {
    checkAttachmentName(name);
    return true;
  } catch {
    return false;
  }
}
