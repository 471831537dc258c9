import { afterAll, beforeAll, expect, test } from "bun:test";
import { mustGit, runGit, Scratch } from "../support/git.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";

/** Texts that a push of a few bytes can make very long: the messages and headers of commits and tags, and paths. */

const scratch = new Scratch();
const data = new OpenDirectory();
let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start(data.path, {
    STITHY_GIT__PATH_LIMIT_BYTES: "100",
    STITHY_GIT__MESSAGE_LIMIT_BYTES: "2000",
    STITHY_GIT__COMMIT_HEADER_LIMIT_BYTES: "1024",
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  data[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const person = "Ada <ada@example.org> 1767323045 +0000";
const text = (content: string) => `data ${content.length}\n${content}\n`;
const file = (path: string) => `M 100644 inline ${path}\n${text("content")}`;
const commit = (message: string, path: string, ref = "refs/heads/main") =>
  `commit ${ref}\ncommitter ${person}\n${text(message)}${file(path)}\n`;
const tag = (message: string) => `tag long\nfrom refs/heads/main\ntagger ${person}\n${text(message)}`;
/** 20 commits without history, and one that has all of them as parents: 48 bytes each. */
const octopus = `${Array.from({ length: 25 }, (_, at) => commit(`${at}`, "file", `refs/heads/side${at}`)).join("")}commit refs/heads/main
committer ${person}
${text("m")}from refs/heads/side0
${Array.from({ length: 24 }, (_, at) => `merge refs/heads/side${at + 1}\n`).join("")}`;

let repositories = 0;

/** Pushes what git fast-import reads into a new repository; answers how that ended, and how many refs it has then. */
async function push(...streams: string[]): Promise<{ code: number; stderr: string; refs: number }> {
  const name = `texts-${repositories++}`;
  const path = scratch.join(name);
  await mustGit(scratch.path, ["init", "-q", "--bare", "-b", "main", path]);
  const url = await server.repository(name);
  let code = 0;
  let stderr = "";
  for (const stream of streams) {
    expect(await runGit(path, ["fast-import", "--quiet", "--force"], { input: stream })).toMatchObject({ code: 0 });
    ({ code, stderr } = await runGit(path, ["push", "-q", url, "refs/heads/main", "refs/tags/*:refs/tags/*"]));
  }
  const refs = await mustGit(scratch.path, ["ls-remote", "--refs", url]);
  return { code, stderr, refs: refs === "" ? 0 : refs.split("\n").length };
}

const deep = (names: number, length: number) => Array.from({ length: names }, () => "n".repeat(length)).join("/");

test.each([
  ["a message of a commit", commit("m".repeat(2001), "file"), "the message of a commit has 2001 bytes, where 2000"],
  [
    "a message of a tag",
    commit("m", "file") + tag("m".repeat(2001)),
    "the message of a tag has 2001 bytes, where 2000",
  ],
  ["headers", octopus, "the headers of a commit have"],
  ["a name", commit("m", "n".repeat(101)), "has 101 bytes, where 100 are allowed"],
  ["a path of many names", commit("m", deep(34, 2)), "has 101 bytes, where 100 are allowed"],
  ["a path of two names", commit("m", deep(2, 50)), "has 101 bytes, where 100 are allowed"],
  // Of which the shorter way to the same tree comes first.
  [
    "a path on one of two ways",
    commit("m", deep(10, 2)).slice(0, -1) + file(`z/${"z".repeat(69)}/${deep(10, 2)}`),
    "has 101 bytes, where 100 are allowed",
  ],
])("%s that is too long is refused in words", async (_what, stream, words) => {
  const { code, stderr, refs } = await push(stream);
  expect({ code, refs, stderr }).toEqual({
    code: 1,
    refs: 0,
    stderr: expect.stringContaining(words) as unknown as string,
  });
});

test("what is as long as it may be is taken", async () => {
  const stream = commit("m".repeat(2000), deep(2, 49)) + commit("m", deep(33, 2)) + commit("m", "n".repeat(100));
  expect(await push(stream + tag("m".repeat(1999)))).toMatchObject({ code: 0, refs: 2 });
});

test("a later push is looked at, too", async () => {
  const { code, stderr, refs } = await push(
    commit("m", "file"),
    `commit refs/heads/main\ncommitter ${person}\n${text("n")}from refs/heads/main^0\n${file(deep(34, 2))}`,
  );
  expect({ code, refs }).toEqual({ code: 1, refs: 1 });
  expect(stderr).toContain("has 101 bytes, where 100 are allowed");
});
