import { join } from "node:path";
import { git } from "../transport-server.ts";

/** One request over HTTP and its answer. */
export interface Exchange {
  /** `info/refs?service=…`, `git-upload-pack` or `git-receive-pack` */
  readonly path: string;
  /** the Git-Protocol header */
  readonly protocol: string;
  readonly request: Buffer;
  /** as `describe` writes it */
  readonly answer: readonly string[];
}

/*
 * A transcript is text. An exchange begins with `> <path> <protocol>`; then come the request's packets, `<`, and those of
 * the answer. A packet is a JSON string of its latin1 text, or `0000`, `0001`, `0002`. What is no packet in a request (the
 * pack of a push) is `base64 …`. In an answer a pack stands as the number of its objects and their sorted oids, since its
 * bytes depend on the compressing library; progress is left out, since it depends on time.
 */

export function writeTranscript(exchanges: readonly Exchange[]): string {
  return exchanges
    .map(({ path, protocol, request, answer }) =>
      [`> ${path} ${protocol}`, ...requestLines(request), "<", ...answer, ""].join("\n"),
    )
    .join("\n");
}

export function parseTranscript(text: string): Exchange[] {
  return text
    .split(/^> /m)
    .slice(1)
    .map((part) => {
      const [head = "", ...lines] = part.trimEnd().split("\n");
      const [path = "", protocol = ""] = head.split(" ");
      const middle = lines.indexOf("<");
      return {
        path,
        protocol,
        request: Buffer.concat(lines.slice(0, middle).map(requestBytes)),
        answer: lines.slice(middle + 1),
      };
    });
}

function requestLines(request: Buffer): string[] {
  const lines: string[] = [];
  let at = 0;
  for (; at < request.length && request.toString("latin1", at, at + 4) !== "PACK";) {
    const length = Number.parseInt(request.toString("latin1", at, at + 4), 16);
    lines.push(
      length < 4
        ? request.toString("latin1", at, at + 4)
        : JSON.stringify(request.toString("latin1", at + 4, at + length)),
    );
    at += Math.max(4, length);
  }
  return at < request.length ? [...lines, `base64 ${request.toString("base64", at)}`] : lines;
}

function requestBytes(line: string): Buffer {
  if (line.startsWith("base64 ")) {
    return Buffer.from(line.slice(7), "base64");
  }
  if (!line.startsWith('"')) {
    return Buffer.from(line, "latin1");
  }
  const text = JSON.parse(line) as string;
  return Buffer.from((text.length + 4).toString(16).padStart(4, "0") + text, "latin1");
}

/** An answer as lines of a transcript. `repository` has the objects that deltas of a thin pack may build on. */
export async function describeAnswer(answer: Buffer, repository: string): Promise<string[]> {
  const lines: string[] = [];
  const pack: Buffer[] = [];
  let at = 0;
  for (; at < answer.length && answer.toString("latin1", at, at + 4) !== "PACK";) {
    const length = Number.parseInt(answer.toString("latin1", at, at + 4), 16);
    const payload = answer.subarray(at + 4, at + Math.max(4, length));
    at += Math.max(4, length);
    if (payload[0] === 1 && (pack.length > 0 || payload.toString("latin1", 1, 5) === "PACK")) {
      pack.push(payload.subarray(1));
    } else if (payload[0] !== 2) {
      if (pack.length > 0) {
        lines.push(...(await describePack(Buffer.concat(pack.splice(0)), repository)));
      }
      lines.push(length < 4 ? answer.toString("latin1", at - 4, at) : JSON.stringify(payload.toString("latin1")));
    }
  }
  if (at < answer.length) {
    lines.push(...(await describePack(answer.subarray(at), repository)));
  }
  return lines;
}

let packs = 0;

/** The oids of what a pack itself brings; without what git adds to complete it. */
async function describePack(pack: Buffer, repository: string): Promise<string[]> {
  const count = pack.readUInt32BE(8);
  if (count === 0) {
    return ["pack of 0 objects"];
  }
  const path = join(repository, `described-${++packs}.pack`);
  const child = Bun.spawn(["git", "index-pack", "--stdin", "--fix-thin", path], {
    cwd: repository,
    stdin: pack,
    stdout: "ignore",
    stderr: "pipe",
  });
  if ((await child.exited) !== 0) {
    throw new Error(await child.stderr.text());
  }
  const entries = (await git(repository, "verify-pack", "-v", path))
    .split("\n")
    .filter((line) => /^[0-9a-f]{40} /.test(line));
  // What completes a thin pack is appended to it.
  const own = entries
    .map((line) => line.split(/ +/))
    .toSorted((left, right) => Number(left[4]) - Number(right[4]))
    .slice(0, count);
  return [`pack of ${count} objects`, ...own.map(([oid]) => `  ${oid}`).sort()];
}
