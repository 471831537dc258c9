import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory, childEnvironment } from "./support/environment.ts";
import { repeatableNumbers } from "./support/repeatable-numbers.ts";
import { git } from "./support/run.ts";

/** Changes whenever other content would be generated. */
const recipe = 1;
const fileCount = 665;
const commitCount = 40;
const filesPerCommit = 30;
const encoder = new TextEncoder();

/**
 * The body of a push of about 25 MB (pack) to the branch `main` of an empty repository: 665 generated text files
 * that barely compress into deltas, and 40 commits. Generated once, kept in the cache directory.
 */
export async function bigPushBody(): Promise<Uint8Array<ArrayBuffer>> {
  const path = join(cacheDirectory, `push-25mb-${recipe}.body`);
  if (!(await Bun.file(path).exists())) {
    await mkdir(cacheDirectory, { recursive: true });
    const repository = `${path}.${process.pid}.tmp.git`;
    try {
      await generate(repository);
      await writeBody(repository, `${path}.${process.pid}.tmp`);
      await rename(`${path}.${process.pid}.tmp`, path);
    } finally {
      await rm(repository, { recursive: true, force: true });
      await rm(`${path}.${process.pid}.tmp`, { force: true });
    }
  }
  return Bun.file(path).bytes();
}

/** Sends a body made by `bigPushBody` or `pushBody`, with a branch `main`, to a repository's git URL; milliseconds until the whole report was read. */
export async function sendPush(repositoryUrl: string, body: Uint8Array<ArrayBuffer>): Promise<number> {
  const { origin, pathname, username, password } = new URL(repositoryUrl);
  const started = performance.now();
  const response = await fetch(`${origin}${pathname}/git-receive-pack`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`${username}:${password}`)}`,
      "content-type": "application/x-git-receive-pack-request",
    },
    body,
  });
  const report = await response.text();
  if (response.status !== 200 || !report.includes("unpack ok") || !report.includes("ok refs/heads/main")) {
    throw new Error(`The push was refused: ${response.status} ${report.slice(0, 500)}`);
  }
  return performance.now() - started;
}

async function writeBody(repository: string, path: string): Promise<void> {
  await Bun.write(
    path,
    await pushBody(
      repository,
      await git(repository, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/main"),
    ),
  );
}

/** A push of refs ("oid name" a line) of a repository, with all that they reach, to one that is empty. */
export async function pushBody(repository: string, refs: string): Promise<Uint8Array<ArrayBuffer>> {
  const packer = Bun.spawn(
    ["git", "-C", repository, "pack-objects", "--all", "--stdout", "-q", "--delta-base-offset"],
    { env: childEnvironment(), stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  );
  const pack = await packer.stdout.bytes();
  if ((await packer.exited) !== 0) throw new Error("The generated repository could not be packed");
  const commands = refs.split("\n").map((ref, index) => {
    const command = `${"0".repeat(40)} ${ref}${index === 0 ? "\0report-status" : ""}\n`;
    return `${(command.length + 4).toString(16).padStart(4, "0")}${command}`;
  });
  return Buffer.concat([encoder.encode(`${commands.join("")}0000`), pack]);
}

async function generate(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await git(path, "init", "--quiet", "--bare", "--initial-branch=main");
  const importer = Bun.spawn(["git", "-C", path, "fast-import", "--quiet"], {
    env: childEnvironment(),
    stdin: "pipe",
    stdout: "ignore",
    stderr: "inherit",
  });
  const random = repeatableNumbers(25);
  const words = Array.from({ length: 20_000 }, () => random(36 ** 6).toString(36));
  const files = Array.from({ length: fileCount }, () =>
    Array.from({ length: 600 + random(900) }, () => line(words, random)),
  );
  for (let commit = 0; commit < commitCount; commit++) {
    const changed =
      commit === 0 ? files.map((_, index) => index) : Array.from({ length: filesPerCommit }, () => random(fileCount));
    const text = `Change ${changed.length} files\n`;
    importer.stdin.write(
      `commit refs/heads/main\ncommitter Generator <generator@example.org> ${1_700_000_000 + commit * 3600} +0000\ndata ${text.length}\n${text}`,
    );
    for (const index of new Set(changed)) {
      const lines = files[index] ?? [];
      lines[random(lines.length)] = line(words, random);
      const content = encoder.encode(`${lines.join("\n")}\n`);
      importer.stdin.write(`M 100644 inline src/part-${index % 37}/file-${index}.txt\ndata ${content.length}\n`);
      importer.stdin.write(content);
      importer.stdin.write("\n");
    }
    await importer.stdin.flush();
  }
  await importer.stdin.end();
  if ((await importer.exited) !== 0) throw new Error("The repository for the large push could not be generated");
  await git(path, "repack", "-adfq", "--window=5");
}

function line(words: readonly string[], random: (below: number) => number): string {
  return Array.from({ length: 8 }, () => words[random(words.length)]).join(" ");
}
