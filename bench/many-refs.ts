import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pushBody, sendPush } from "./big-push.ts";
import type { GitSide, Side } from "./git-sides.ts";
import { childEnvironment } from "./support/environment.ts";
import { git } from "./support/run.ts";
import { median } from "./support/statistics.ts";
import { figure } from "./support/table.ts";

const refCount = 10_000;
const rounds = 15;

interface ManyRefsFigures {
  firstByteMs: number;
  wholeMs: number;
}

export interface ManyRefsResult {
  request: string;
  ours: ManyRefsFigures;
  git: ManyRefsFigures;
}

/** Requests for the list of 10,000 refs: medians. */
export async function manyRefs(ours: Side, theirs: GitSide, scratch: string): Promise<ManyRefsResult[]> {
  const source = join(scratch, "many-refs.git");
  await generateRefs(source, refCount);
  // Git's client takes a minute to push so many.
  const ourUrl = await ours.createRepository("many-refs", "main");
  await sendPush(
    ourUrl,
    await pushBody(source, await git(source, "for-each-ref", "--format=%(objectname) %(refname)")),
  );
  const theirUrl = await theirs.createRepository("many-refs", "main");
  await rm(theirs.pathOf("many-refs"), { recursive: true });
  await git(scratch, "clone", "--quiet", "--mirror", source, theirs.pathOf("many-refs"));
  await rm(source, { recursive: true, force: true });
  const measureBoth = async (request: string, send: (url: string) => Promise<Response>): Promise<ManyRefsResult> => {
    const samples: { ours: ManyRefsFigures[]; git: ManyRefsFigures[] } = { ours: [], git: [] };
    for (let round = 0; round < rounds; round++) {
      samples.ours.push(await time(() => send(ourUrl)));
      samples.git.push(await time(() => send(theirUrl)));
    }
    return { request, ours: middle(samples.ours), git: middle(samples.git) };
  };
  return [
    await measureBoth("info/refs (v0)", (url) => fetch(`${bare(url)}/info/refs?service=git-upload-pack`)),
    await measureBoth("ls-refs (v2)", (url) =>
      fetch(`${bare(url)}/git-upload-pack`, {
        method: "POST",
        headers: { "content-type": "application/x-git-upload-pack-request", "git-protocol": "version=2" },
        body: "0014command=ls-refs\n0001000csymrefs\n0009peel\n0000",
      }),
    ),
  ];
}

/** A bare repository of one commit and so many branches beside `main`. */
export async function generateRefs(path: string, count: number): Promise<void> {
  await mkdir(path, { recursive: true });
  await git(path, "init", "--quiet", "--bare", "--initial-branch=main");
  const text = [
    "commit refs/heads/main",
    "committer Generator <generator@example.org> 1700000000 +0000",
    "data 6",
    "First",
    "M 100644 inline file",
    "data 5",
    "text",
    "",
    "",
  ];
  for (let number = 0; number < count; number++) {
    text.push(`reset refs/heads/branch-${number}`, "from refs/heads/main", "");
  }
  const importer = Bun.spawn(["git", "-C", path, "fast-import", "--quiet"], {
    env: childEnvironment(),
    stdin: new Blob([text.join("\n")]),
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await importer.exited) !== 0) throw new Error("The repository with many refs could not be generated");
}

async function time(send: () => Promise<Response>): Promise<ManyRefsFigures> {
  const started = performance.now();
  const response = await send();
  if (response.status !== 200 || response.body === null)
    throw new Error(`The list of refs was refused: ${response.status}`);
  let firstByteMs = 0;
  let length = 0;
  for await (const chunk of response.body) {
    if (length === 0) firstByteMs = performance.now() - started;
    length += chunk.length;
  }
  if (length < refCount * 60) throw new Error(`A list of ${refCount} refs cannot have ${length} bytes`);
  return { firstByteMs, wholeMs: performance.now() - started };
}

function bare(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function middle(samples: readonly ManyRefsFigures[]): ManyRefsFigures {
  return {
    firstByteMs: median(samples.map(({ firstByteMs }) => firstByteMs)),
    wholeMs: median(samples.map(({ wholeMs }) => wholeMs)),
  };
}

export const manyRefsHeader = [
  "10,000 refs",
  "ours first byte ms",
  "git first byte ms",
  "ours whole ms",
  "git whole ms",
];

export function manyRefsRow({ request, ours, git: theirs }: ManyRefsResult): string[] {
  return [request, figure(ours.firstByteMs), figure(theirs.firstByteMs), figure(ours.wholeMs), figure(theirs.wholeMs)];
}
