import type { StagedBlob } from "../../blobs/blob-store.ts";
import { extraDigests } from "../../blobs/blob-store.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import type { Doer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { publishFile } from "../../domain/packages/publish-file.ts";
import type { PackageReader } from "../package-reader.ts";
import { rpmKey } from "./index.ts";

/** A file that came for a group. */
interface ReceivedRpm {
  readonly group: string;
  readonly blob: StagedBlob;
  /** It is signed with the registry's key before it is stored. */
  readonly isToBeSigned: boolean;
}

/** The fields of a package that its file row keeps. */
export interface RpmFileMetadata {
  readonly epoch: number;
  readonly version: string;
  readonly release: string;
  readonly arch: string;
  readonly sourceRpm: string;
}

/**
 * Returns the function that publishes a package in a group of an owner's registry, and resolves when the group's index has it.
 * It throws BadRpm, and what publishFile throws.
 */
export function preparePublishRpm(
  forge: Forge,
  packages: PackageReader,
): (owner: OwnerRow, doer: Doer, received: ReceivedRpm, signal: AbortSignal) => Promise<void> {
  const limit = forge.config.packages.rpm_header_limit_bytes;

  const getKey = (ownerId: number) => rpmKey(forge.packageKeys, ownerId, (name) => packages.makePair(name));

  /** A copy of the package that the registry's key has signed. */
  async function sign(ownerId: number, { content }: StagedBlob, signal: AbortSignal): Promise<StagedBlob> {
    const { secretKey } = await getKey(ownerId);
    const { head, payloadStart } = await packages.read(signal, "signRpm", content, limit, secretKey);
    const options = { bytes: Number.MAX_SAFE_INTEGER, digests: extraDigests };
    return forge.files.blobs.stage(null, joined(head, content.slice(payloadStart)), options);
  }

  return async (owner, doer, { group, blob: received, isToBeSigned }, signal) => {
    await using stack = new AsyncDisposableStack();
    const blob = isToBeSigned ? stack.use(await sign(owner.id, received, signal)) : received;
    const facts = { sha256: blob.sha256, bytes: blob.bytes, time: Math.floor(Date.now() / 1000) };
    const rpm = await packages.read(signal, "rpm", blob.content, limit, facts);
    await getKey(owner.id);
    const { fileName: name, about, epoch, version, release, arch, sourceRpm } = rpm;
    const metadata: RpmFileMetadata = { epoch, version, release, arch, sourceRpm };
    const stanzas = rpm.stanzas.map(([part, content]) => ({ indexName: group, part, sort: name, content }));
    const named = { type: "rpm", name: rpm.name, version: rpm.fullVersion } as const;
    await forge.change(doer, { blobs: [blob] }, (work) =>
      publishFile(work, owner, named, { name, place: group, blob, about, metadata: { ...metadata }, stanzas }),
    );
    await forge.packageIndexes.settle({ ownerId: owner.id, type: "rpm", name: group });
  };
}

async function* joined(head: Uint8Array, payload: Blob): AsyncGenerator<Uint8Array> {
  yield head;
  yield* payload.stream();
}
