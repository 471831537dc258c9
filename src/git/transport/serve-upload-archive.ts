import type { ArchiveRequest } from "../archive/archive-request.ts";
import type { Ref } from "../refs/ref.ts";
import { isWholeOid } from "../refs/ref-name.ts";
import { PacketReader } from "../wire/packet-reader.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import { flushPacket } from "../wire/pkt-line.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { Sideband, sideband64k, sidebandPackets } from "../wire/sideband.ts";
import { formatList, parseArchiveArguments } from "./archive-arguments.ts";
import { findShortName } from "./resolve-fetch.ts";

/** A repository as upload-archive needs it. */
export interface ArchiveSource {
  /** full name of the default branch */
  readonly head: string;
  /** the refs that the client may see, sorted by name */
  listRefs(): Promise<readonly Ref[]>;
  /** oid of the directory at a path of a commit or tree; null when there is none */
  findDirectory(treeish: string, path: string): Promise<string | null>;
  /** the operation `archive` of the engine */
  archive(request: ArchiveRequest): AsyncIterable<Uint8Array>;
  /** what the client may be told of a failure of that; null for a fault of ours */
  explain(error: unknown): string | null;
}

/** As git. */
const maxArguments = 64;
const argumentPrefix = "argument ";

/**
 * A whole conversation of upload-archive: arguments, `ACK`, then the archive in the first band. As git does it without
 * `uploadArchive.allowUnreachable`, only what a ref is named for can be had, or a directory of it (`ref:path`). What goes
 * wrong is told in the third band; a fault of ours is thrown after it. Source: git-upload-archive(1).
 */
export async function* serveUploadArchive(
  input: AsyncIterable<Uint8Array>,
  source: ArchiveSource,
): AsyncGenerator<Uint8Array, void> {
  const words = await readArguments(new PacketReader(input, { totalBytes: maxArguments * 4096 }));
  yield new PacketWriter().line("ACK").flush().take();
  try {
    const wanted = parseArchiveArguments(words);
    if (wanted.kind === "list") {
      yield sidebandPackets(Sideband.data, formatList, sideband64k);
    } else {
      const { format, prefix, paths, level, seconds } = wanted;
      const refs = await source.listRefs();
      const name = wanted.ref === "HEAD" ? source.head : wanted.ref;
      // An older version took branches that are named as the oid of a commit.
      const ref = isWholeOid(name) ? null : findShortName(name, new Map(refs.map((one) => [one.name, one])));
      if (ref === null) {
        throw new ProtocolError(`no such ref: ${wanted.ref.slice(0, 200)}`);
      }
      const commit = ref.peeled ?? ref.oid;
      const treeish = wanted.directory === "" ? commit : await source.findDirectory(commit, wanted.directory);
      if (treeish === null) {
        throw new ProtocolError(`not a tree object: ${wanted.ref}:${wanted.directory}`.slice(0, 400));
      }
      const decorations = {
        head: refs.some((one) => one.name === source.head && one.oid === commit) ? source.head : null,
        refs: refs.filter((one) => (one.peeled ?? one.oid) === commit).map((one) => one.name),
      };
      const options = { ...(level === null ? {} : { level }), ...(seconds === null ? {} : { seconds }) };
      for await (const chunk of source.archive({ format, treeish, prefix, paths, decorations, ...options })) {
        yield sidebandPackets(Sideband.data, chunk, sideband64k);
      }
    }
    yield flushPacket;
  } catch (error) {
    const told = error instanceof ProtocolError ? error.message : source.explain(error);
    yield sidebandPackets(Sideband.error, `fatal: ${told ?? "something went wrong on the server"}\n`, sideband64k);
    yield flushPacket;
    throw told === null || error instanceof ProtocolError ? error : new ProtocolError(told);
  }
}

async function readArguments(reader: PacketReader): Promise<string[]> {
  const words: string[] = [];
  for (let next = await reader.nextLine(); !("mark" in next); next = await reader.nextLine()) {
    if (words.length === maxArguments || !next.line.startsWith(argumentPrefix)) {
      throw new ProtocolError(
        words.length === maxArguments
          ? `More than ${maxArguments} arguments are not accepted`
          : "'argument' token or flush expected",
      );
    }
    words.push(next.line.slice(argumentPrefix.length));
  }
  return words;
}
