import type { GitFixture } from "./git-fixture.ts";

/**
 * Writes trees into a repository, packed, and answers their oids. Each is given by its paths, which must not contain
 * one another, and for each `<mode> <content>`; the mode has six digits, and a submodule's content is an oid.
 */
export function packedTrees(
  fixture: GitFixture,
  repository: string,
  trees: readonly ReadonlyMap<string, string | Uint8Array>[],
): string[] {
  const parts: Uint8Array[] = [];
  const say = (text: string): void => {
    parts.push(Buffer.from(text));
  };
  for (const [number, files] of trees.entries()) {
    say(
      `commit refs/heads/t${number}\nauthor A <a@example.org> ${1_700_000_000 + number} +0000\ncommitter C <c@example.org> ${1_700_000_000 + number} +0000\ndata 1\nm\ndeleteall\n`,
    );
    for (const [path, file] of files) {
      const bytes = Buffer.from(file);
      const mode = bytes.toString("latin1", 0, 6);
      const content = bytes.subarray(7);
      if (mode === "160000") {
        say(`M ${mode} ${content.toString()} ${quote(path)}\n`);
      } else {
        say(`M ${mode} inline ${quote(path)}\ndata ${content.length}\n`);
        parts.push(content);
        say("\n");
      }
    }
  }
  fixture.git(repository, ["fast-import", "--quiet"], Buffer.concat(parts));
  fixture.git(repository, ["repack", "-adq"]);
  const listed = fixture
    .git(repository, ["for-each-ref", "--format=%(refname:short) %(tree)", "refs/heads/t*"])
    .toString()
    .trim()
    .split("\n");
  const oids = new Map(listed.map((line) => line.split(" ") as [string, string]));
  return trees.map((_, number) => oids.get(`t${number}`)!);
}

function quote(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\t", "\\t").replaceAll("\n", "\\n")}"`;
}
