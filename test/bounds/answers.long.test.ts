import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mustGit, Scratch } from "../support/git.ts";
import { BesideServer, expectUndisturbed } from "./beside.ts";
import { commit, data, makeBare, person, plant } from "./plant.ts";

/** Answers that would be large, out of small pushes. */

setDefaultTimeout(300_000);

const scratch = new Scratch();
let server: BesideServer;
beforeAll(async () => {
  // What was pushed before there was such a limit is read all the same.
  server = await BesideServer.start({ STITHY_GIT__MESSAGE_LIMIT_BYTES: String(64 * 1024 * 1024) });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  scratch[Symbol.dispose]();
});

/** Asks several times at once and answers the statuses, and the messages of what was refused. */
async function ask(path: string, times: number): Promise<{ status: number; bytes: number; message: string }[]> {
  return Promise.all(
    Array.from({ length: times }, async () => {
      const answer = await fetch(server.url + path);
      const text = await answer.text();
      const message = answer.status === 200 ? "" : (JSON.parse(text) as { message: string }).message;
      return { status: answer.status, bytes: text.length, message };
    }),
  );
}

const isAnswered = ({ status }: { status: number }) => [200, 413, 429].includes(status);

/** Asks beside the probe: what is answered is whole or says why it is not. */
async function askBeside(path: string, times = 6) {
  let answers: Awaited<ReturnType<typeof ask>> = [];
  const seen = await server.during(async () => {
    answers = await ask(path, times);
  });
  expect(answers.filter((answer) => !isAnswered(answer))).toEqual([]);

  expectUndisturbed(seen);
  return answers;
}

function directory(entries: number, nameLength: number, prefix = ""): string {
  const files = Array.from(
    { length: entries },
    (_, file) => `M 100644 inline ${prefix}${String(file).padStart(nameLength, "é")}\n${data("")}`,
  );
  return commit("files", files.join(""));
}

test("a directory of 20,000 entries is refused, and the message names what is paged", async () => {
  await plant(server, scratch, "wide", directory(20_000, 60));
  for (const { status, message } of await askBeside("/api/v1/repos/root/wide/contents")) {
    expect({ status, message }).toEqual({
      status: 413,
      message: 'The directory "" has 20000 entries; more than 10000 are only listed page by page, with git/trees',
    });
  }
  expect(await ask("/api/v1/repos/root/wide/git/trees/main?page=20", 1)).toMatchObject([{ status: 200 }]);
});

/** Each letter in it takes six characters in an address. */
const directoryPath = `${"d".repeat(200)}/${"é".repeat(120)}/${"e".repeat(200)}`;

test("9,000 long paths are refused when the answer is too large", async () => {
  await plant(server, scratch, "long", directory(9000, 100, `${directoryPath}/`));
  const answers = await askBeside(`/api/v1/repos/root/long/contents/${directoryPath}`);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413]));
  await askBeside(`/root/long/src/branch/main/${directoryPath}`);
});

test("commits with 3,000 parents", async () => {
  const parents = Array.from(
    { length: 3000 },
    (_, number) =>
      `commit refs/heads/p${number}\nmark :${number + 1}\ncommitter ${person}\n${data(`parent ${number}`)}\n`,
  );
  const merges = Array.from({ length: 30 }, (_, number) =>
    commit(`merge ${number}`, Array.from({ length: 2999 }, (_, parent) => `merge :${parent + 1}\n`).join("")),
  );
  await plant(server, scratch, "octopus", parents.join("") + merges.join(""));
  await askBeside("/api/v1/repos/root/octopus/commits?limit=50");
  await askBeside("/api/v1/repos/root/octopus/git/refs");
});

test("commits with long messages", async () => {
  const message = "a line\n".repeat(590_000);
  await plant(server, scratch, "message", commit(message).repeat(20));
  for (const path of [
    "/api/v1/repos/root/message/commits",
    "/api/v1/repos/root/message/branches",
    "/api/v1/repos/root/message/activities/feeds",
    "/api/v1/users/root/activities/feeds",
    "/root/message",
  ]) {
    await askBeside(path);
  }
});

test("40,000 refs", async () => {
  const path = await makeBare(scratch, "refs", commit("only"));
  const tip = await mustGit(path, ["rev-parse", "main"]);
  const names = Array.from({ length: 40_000 }, (_, number) => `refs/heads/b${number}`).sort();
  writeFileSync(
    join(path, "packed-refs"),
    `# pack-refs with: peeled fully-peeled sorted \n${names.map((name) => `${tip} ${name}\n`).join("")}`,
  );
  // Over HTTP git's own client takes time that grows with the square of the refs.
  expect(await server.importRepository(path, "root/refs")).toMatchObject({ code: 0 });
  const answers = await askBeside("/api/v1/repos/root/refs/git/refs");
  expect(answers.every(({ status, bytes }) => status === 200 && bytes > 8_000_000)).toBe(true);
});
