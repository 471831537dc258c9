import { dirname } from "node:path";
import type { SeededRandom } from "../../../support/random.ts";
import { readZip } from "../../read-zip.ts";
import { linesOf, type SweptHistory } from "../swept-history.ts";
import type { SweepQuestion } from "../sweep-question.ts";

/** Tar files byte by byte, zip files by what is told of their entries: how they are compressed depends on the version of zlib. */
export const archive: SweepQuestion = {
  async ask(history, random) {
    const commit = history.pickCommit(random);
    const format = random.below(3) === 0 ? "zip" : "tar";
    const prefix = ["", "project-1.0/", "no-slash"][random.below(3)]!;
    const paths = random.below(2) === 0 ? [] : await somePaths(history, commit, random);
    const command = [
      "archive",
      `--format=${format}`,
      ...(prefix === "" ? [] : [`--prefix=${prefix}`]),
      commit,
      ...paths.map((path) => `:(literal)${path}`),
    ];
    const shown = (bytes: Uint8Array): string | Uint8Array => (format === "tar" ? bytes : entriesOf(bytes));
    const decorations = await decorationsOf(history, commit);
    return {
      command,
      git: history.bytes(command).then((bytes) => bytes && shown(bytes)),
      ours: history.read("archive", { format, treeish: commit, prefix, paths, decorations }).then(shown),
    };
  },
};

async function somePaths(history: SweptHistory, commit: string, random: SeededRandom): Promise<string[]> {
  const files = await history.filesOf(commit);
  const some = Array.from({ length: files.length === 0 ? 0 : 1 + random.below(3) }, () => {
    const file = files[random.below(files.length)]!;
    return random.below(2) === 0 || !file.includes("/") ? file : dirname(file);
  });
  return [...new Set(some)];
}

async function decorationsOf(
  history: SweptHistory,
  commit: string,
): Promise<{ head: string | null; refs: readonly string[] }> {
  const refs = linesOf(
    (await history.bytes(["for-each-ref", "--points-at", commit, "--format=%(refname)"])) ?? new Uint8Array(0),
  );
  const head = (await history.text(["symbolic-ref", "-q", "HEAD"]))?.trim() ?? "";
  return { head: refs.includes(head) ? head : null, refs };
}

function entriesOf(zip: Uint8Array): string {
  const { entries, comment } = readZip(Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength));
  const lines = entries.map((entry) =>
    JSON.stringify({ ...entry, deflated: null, content: Bun.hash(entry.content).toString(16) }),
  );
  return [comment, ...lines].join("\n");
}
