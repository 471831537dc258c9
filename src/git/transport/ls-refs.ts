import type { Ref } from "../refs/ref.ts";
import type { PacketReader } from "../wire/packet-reader.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import { ProtocolError } from "../wire/protocol-error.ts";

/** The v2 command `ls-refs`. Source: gitprotocol-v2(5). */
export interface LsRefsRequest {
  readonly peel: boolean;
  readonly symrefs: boolean;
  readonly unborn: boolean;
  /** only refs that begin with one of these; all refs when there is none */
  readonly prefixes: readonly string[];
}

/** As git: with more prefixes than this a client gets all refs, and filters them itself. */
const maxPrefixes = 65_536;

/** Reads the arguments up to and with the flush; without a reader there are none. Throws ProtocolError. */
export async function parseLsRefsArguments(reader: PacketReader | null): Promise<LsRefsRequest> {
  const options = new Set<string>();
  const prefixes: string[] = [];
  for (let next = await reader?.nextLine(); next !== undefined && "line" in next; next = await reader?.nextLine()) {
    if (next.line.startsWith("ref-prefix ")) {
      if (prefixes.length <= maxPrefixes) {
        prefixes.push(next.line.slice("ref-prefix ".length));
      }
    } else if (lsRefsOptions.has(next.line)) {
      options.add(next.line);
    } else {
      throw new ProtocolError(`unexpected line: '${next.line.slice(0, 80)}'`);
    }
  }
  return {
    peel: options.has("peel"),
    symrefs: options.has("symrefs"),
    unborn: options.has("unborn"),
    prefixes: prefixes.length > maxPrefixes ? [] : prefixes,
  };
}

const lsRefsOptions: ReadonlySet<string> = new Set(["peel", "symrefs", "unborn"]);

/** `refs` sorted by name, `head` the full name of the default branch. Yields framed chunks of about 64 KB, the last ends with a flush. */
export function* writeRefs(request: LsRefsRequest, refs: readonly Ref[], head: string): Generator<Uint8Array> {
  const out = new PacketWriter();
  const wanted = prefixFilter(request.prefixes);
  if (wanted("HEAD")) {
    const target = refs.find((ref) => ref.name === head);
    const symref = request.symrefs ? ` symref-target:${head}` : "";
    if (target !== undefined) {
      out.line(`${target.oid} HEAD${symref}`);
    } else if (request.unborn) {
      out.line(`unborn HEAD${symref}`);
    }
  }
  for (const { name, oid, peeled } of refs) {
    if (wanted(name)) {
      out.line(request.peel && peeled !== null ? `${oid} ${name} peeled:${peeled}` : `${oid} ${name}`);
      if (out.length > 60_000) {
        yield out.take();
      }
    }
  }
  yield out.flush().take();
}

/** With n prefixes a name costs log n, so that a long list of them cannot keep the thread busy. */
function prefixFilter(prefixes: readonly string[]): (name: string) => boolean {
  if (prefixes.length === 0) {
    return () => true;
  }
  const sorted: string[] = [];
  for (const prefix of prefixes.toSorted((left, right) => (left < right ? -1 : 1))) {
    const last = sorted.at(-1);
    // A prefix of another one makes that one useless; what remains is such that only the greatest not above a name can fit.
    if (last === undefined || !prefix.startsWith(last)) {
      sorted.push(prefix);
    }
  }
  return (name) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! <= name) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low > 0 && name.startsWith(sorted[low - 1]!);
  };
}
