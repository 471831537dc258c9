import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GitEngine } from "../../src/git/engine.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { stripSpace } from "../../src/git/notes/strip-space.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { GitFixture } from "./git-fixture.ts";

const fixture = new GitFixture();
const engine = new GitEngine({
  gitWorker: gitWorkerUrl,
  indexWorker: indexWorkerUrl,
  workers: 1,
  cacheBytes: 16 << 20,
  log: silentLogger,
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});

const signature = { name: "A", email: "a@example.com", seconds: 1_700_000_000, offsetMinutes: 0 };

/** A repository with commits, and what edits notes in it. */
class Notes {
  readonly path: string;
  readonly commits: readonly string[];
  tip: string | null = null;
  #packs: string[] = [];
  #generation = 0;

  constructor(
    private readonly format: "sha1" | "sha256",
    count: number,
  ) {
    this.path = fixture.repository(format);
    const script = Array.from(
      { length: count },
      (_, at) => `commit refs/heads/b${at}\ncommitter C <c@example.org> ${1_700_000_000 + at} +0000\ndata 1\nm\n`,
    );
    fixture.git(this.path, ["fast-import", "--quiet", "--date-format=raw"], script.join(""));
    fixture.git(this.path, ["repack", "-adq"]);
    this.commits = fixture
      .git(this.path, ["for-each-ref", "--format=%(objectname)", "refs/heads"])
      .toString()
      .trim()
      .split("\n");
    this.#packs = [...new Bun.Glob("*.pack").scanSync({ cwd: join(this.path, "objects/pack"), absolute: true })];
    mkdirSync(join(this.path, "temporary"));
  }

  get view(): RepositoryView {
    return { key: `${this.path}:${this.#generation}`, format: this.format, packs: this.#packs };
  }

  /** Takes over what git has made, as one pack. */
  adopt(ref: string): void {
    fixture.git(this.path, ["repack", "-adq"]);
    this.#packs = [...new Bun.Glob("*.pack").scanSync({ cwd: join(this.path, "objects/pack"), absolute: true })];
    this.#generation++;
    this.tip = fixture.git(this.path, ["rev-parse", ref]).toString().trim();
  }

  /** Our edit; git sees it as refs/notes/own. */
  async edit(target: string, text: string | null): Promise<string | null> {
    const destination = { directory: join(this.path, "published"), temporary: join(this.path, "temporary") };
    const { commit, pack } = await engine.write(this.view, "editNote", {
      notes: this.tip,
      target,
      text,
      signature,
      message: "edited\n",
      destination,
    });
    if (commit !== null && pack !== null) {
      this.#packs.unshift(pack.path);
      this.#generation++;
      this.tip = commit;
      for (const file of [pack.path, pack.path.replace(/pack$/, "idx")]) {
        cpSync(file, join(this.path, "objects", "pack", `pack-${file.slice(file.lastIndexOf("/") + 1)}`));
      }
      fixture.git(this.path, ["update-ref", "refs/notes/own", commit]);
    }
    return commit;
  }

  git(...args: string[]): string {
    return fixture.git(this.path, args).toString();
  }
}

describe("notes", () => {
  test.each(["sha1", "sha256"] as const)("stand where git puts them, few or many (%s)", async (format) => {
    const notes = new Notes(format, 260);
    // Git alone makes most of them at once; the last ones, around where directories begin, both make one by one.
    const stream = notes.commits.slice(0, 85).map((oid) => `N inline ${oid}\ndata 2\nx\n`);
    fixture.git(
      notes.path,
      ["fast-import", "--quiet", "--date-format=raw"],
      `commit refs/notes/theirs\ncommitter C <c@example.org> 1700000000 +0000\ndata 1\nm\n${stream.join("")}`,
    );
    notes.adopt("refs/notes/theirs");
    let depth = 0;
    for (const oid of notes.commits.slice(85, 125)) {
      notes.git("notes", "--ref=theirs", "add", "-f", "-m", `about ${oid}`, oid);
      await notes.edit(oid, `about ${oid}\n`);
      expect(notes.git("rev-parse", "refs/notes/own^{tree}")).toBe(notes.git("rev-parse", "refs/notes/theirs^{tree}"));
      const names = notes.git("ls-tree", "-r", "--name-only", "refs/notes/own").trim().split("\n");
      depth = Math.max(...names.map((name) => name.split("/").length));
    }
    expect(depth).toBe(2);
    const [first = "", last = ""] = [notes.commits[0], notes.commits[124]];
    for (const oid of [first, last]) {
      const found = await engine.call(notes.view, "findNote", { notes: notes.tip!, target: oid });
      expect(notes.git("rev-parse", `refs/notes/own:${found!.path}`).trim()).toBe(found!.oid);
    }
    expect(await engine.call(notes.view, "findNote", { notes: notes.tip!, target: notes.commits[200]! })).toBeNull();
    await notes.edit(first, null);
    expect(await engine.call(notes.view, "findNote", { notes: notes.tip!, target: first })).toBeNull();
    expect(await notes.edit(first, null)).toBeNull();
    expect(notes.git("notes", "--ref=own", "list").trim().split("\n")).toHaveLength(124);
  });

  test("leave alone what is no note", async () => {
    const notes = new Notes("sha1", 2);
    fixture.git(
      notes.path,
      ["fast-import", "--quiet", "--date-format=raw"],
      "commit refs/notes/theirs\ncommitter C <c@example.org> 1700000000 +0000\ndata 1\nm\nM 100644 inline README\ndata 2\nx\nM 100644 inline ab/c\ndata 2\ny\n",
    );
    notes.adopt("refs/notes/theirs");
    await notes.edit(notes.commits[0]!, "one\n");
    await notes.edit(notes.commits[0]!, "two\n");
    expect(notes.git("ls-tree", "-r", "--name-only", "refs/notes/own").trim().split("\n").toSorted()).toEqual(
      ["README", "ab/c", notes.commits[0]!].toSorted(),
    );
    expect(notes.git("notes", "--ref=own", "show", notes.commits[0]!)).toBe("two\n");
  });

  test("are cleaned up as git cleans messages up", () => {
    for (const text of [
      "",
      "\n\n",
      "a",
      "  a  \n\n\n\nb\t\n",
      "\n\r\nx\r\n\r\n\r\ny\n\n",
      "a\n \n \nb",
      "\t\n  lead\n",
    ]) {
      const path = fixture.path("text");
      writeFileSync(path, text);
      expect(stripSpace(text)).toBe(fixture.git(fixture.directory, ["stripspace"], text).toString());
    }
  });
});
