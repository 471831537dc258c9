import type { StagedBlob } from "../../blobs/blob-store.ts";
import { extraDigests } from "../../blobs/blob-store.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import type { Doer } from "../../domain/doer.ts";
import type { Forge } from "../../domain/forge.ts";
import { publishFile } from "../../domain/packages/publish-file.ts";
import { Slots } from "../../lib/slots.ts";
import { nextTurn } from "../../lib/turns.ts";
import { openPgpSigner } from "../shared/openpgp.ts";
import { makeRpmKey } from "./index.ts";
import { fileNameOf, versionOf, type RpmPackage } from "./package.ts";
import { readRpm, type ReadRpm } from "./read-rpm.ts";
import { signRpm } from "./sign-rpm.ts";
import { filelistsStanza, otherStanza, primaryStanza } from "./stanzas.ts";

/** A file that came for a group. */
interface ReceivedRpm {
  readonly group: string;
  readonly blob: StagedBlob;
  /** It is signed with the registry's key before it is stored. */
  readonly isToBeSigned: boolean;
}

/** What a file row keeps of a package, for what is said about it later. */
export interface RpmFileMetadata {
  readonly epoch: number;
  readonly version: string;
  readonly release: string;
  readonly arch: string;
  readonly sourceRpm: string;
}

/** Headers are held whole, so they are read of so many packages at once. */
const readAtOnce = 2;

/**
 * Returns the function that publishes a package in a group of an owner's registry, and resolves when the group's index has it.
 * It throws BadRpm, and what publishFile throws.
 */
export function preparePublishRpm(
  forge: Forge,
): (owner: OwnerRow, doer: Doer, received: ReceivedRpm, signal: AbortSignal) => Promise<void> {
  const slots = new Slots(readAtOnce, Number.POSITIVE_INFINITY);
  const limit = forge.config.packages.rpm_header_limit_bytes;

  /** The package as it is stored: `blob` is the one that came, or a signed copy that goes when the stack does. */
  async function prepare(ownerId: number, { blob, isToBeSigned }: ReceivedRpm, stack: AsyncDisposableStack) {
    const read = await readRpm(blob.content, limit);
    if (!isToBeSigned) {
      return { rpm: read.package, blob };
    }
    const { secretKey } = await forge.packageKeys.get(ownerId, "rpm", makeRpmKey);
    const { signBinary } = await openPgpSigner(secretKey);
    const signed = await signRpm(read, signBinary);
    const options = { bytes: Number.MAX_SAFE_INTEGER, digests: extraDigests };
    const copy = await forge.files.blobs.stage(null, joined(signed.head, blob, read), options);
    return { rpm: signed.package, blob: stack.use(copy) };
  }

  return async (owner, doer, received, signal) => {
    const { group } = received;
    await using stack = new AsyncDisposableStack();
    const place = stack.use(await slots.take(signal));
    const { rpm, blob } = await prepare(owner.id, received, stack);
    const name = fileNameOf(rpm);
    const stanzas = (await stanzasOf(rpm, blob)).map(([part, content]) => ({
      indexName: group,
      part,
      sort: name,
      content,
    }));
    place[Symbol.dispose]();
    const named = { type: "rpm", name: rpm.name, version: versionOf(rpm) } as const;
    const metadata = metadataOf(rpm);
    await forge.change(doer, { blobs: [blob] }, (work) =>
      publishFile(work, owner, named, { name, place: group, blob, metadata: { ...metadata }, stanzas }),
    );
    await forge.packageIndexes.publish({ ownerId: owner.id, type: "rpm", name: group });
  };
}

async function* joined(head: Uint8Array, blob: StagedBlob, { payloadStart }: ReadRpm): AsyncGenerator<Uint8Array> {
  yield head;
  yield* blob.content.slice(payloadStart).stream();
}

/** Each takes the processor a tenth of a second for a package of some 100,000 files: others have a turn in between. */
async function stanzasOf(rpm: RpmPackage, { sha256, bytes }: StagedBlob): Promise<(readonly [string, string])[]> {
  const facts = { sha256, bytes, time: Math.floor(Date.now() / 1000) };
  const primary = primaryStanza(rpm, facts);
  await nextTurn();
  const filelists = filelistsStanza(rpm, facts);
  await nextTurn();
  return [
    ["primary", primary],
    ["filelists", filelists],
    ["other", otherStanza(rpm, facts)],
  ];
}

function metadataOf({ epoch, version, release, arch, sourceRpm }: RpmPackage): RpmFileMetadata {
  return { epoch, version, release, arch, sourceRpm };
}
