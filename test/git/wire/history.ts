import { mkdir } from "node:fs/promises";
import { git } from "../transport-server.ts";

const names = ["README.md", "src/main.ts", "src/lib/text.ts", "docs/guide.md"];

/** Commits with fixed names and dates: every oid is the same wherever and whenever this is made. */
function stream(): string {
  const lines: string[] = [];
  const data = (text: string): void => void lines.push(`data ${Buffer.byteLength(text)}`, text);
  const commit = (branch: string, mark: number, from: number | null, merge: number | null): void => {
    lines.push(
      `commit refs/heads/${branch}`,
      `mark :${mark}`,
      `committer Ada <ada@example.org> ${1_700_000_000 + mark * 3600} +0100`,
    );
    data(`Change ${mark}\n`);
    if (from !== null) lines.push(`from :${from}`);
    if (merge !== null) lines.push(`merge :${merge}`);
    lines.push(`M 100644 inline ${names[mark % names.length]}`);
    data(`${names[mark % names.length]} at change ${mark}\n`.repeat(1 + (mark % 3) * 20));
  };
  const tag = (name: string, mark: number): void => {
    lines.push(`tag ${name}`, `from :${mark}`, `tagger Ada <ada@example.org> ${1_700_500_000 + mark} +0000`);
    data(`Release ${name}\n`);
  };
  for (let mark = 1; mark <= 6; mark++) {
    commit("main", mark, mark === 1 ? null : mark - 1, null);
  }
  commit("topic", 7, 4, null);
  commit("topic", 8, 7, null);
  commit("main", 9, 6, 8);
  commit("main", 10, 9, null);
  lines.push("reset refs/heads/old", "from :4", "", "reset refs/heads/protected", "from :10", "");
  tag("v1", 3);
  tag("v2", 9);
  return `${lines.join("\n")}\ndone\n`;
}

/** Makes a bare repository at a path, with one pack. */
export async function makeHistory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await git(path, "init", "-q", "--bare", "-b", "main", ".");
  const child = Bun.spawn(["git", "fast-import", "--quiet", "--done"], {
    cwd: path,
    stdin: Buffer.from(stream()),
    stderr: "pipe",
    env: { PATH: process.env["PATH"], HOME: path },
  });
  if ((await child.exited) !== 0) {
    throw new Error(await child.stderr.text());
  }
  await git(path, "repack", "-adq");
  // For the comparison with git's own server.
  for (const name of [
    "uploadpack.allowFilter",
    "uploadpack.allowAnySHA1InWant",
    "uploadpack.allowRefInWant",
    "transfer.advertiseObjectInfo",
  ]) {
    await git(path, "config", name, "true");
  }
}
