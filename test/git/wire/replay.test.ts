import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TransportServer } from "../transport-server.ts";
import { makeHistory } from "./history.ts";
import { describeAnswer, type Exchange, parseTranscript } from "./transcript.ts";
import { isThorough } from "../../support/thorough.ts";

/** Sends what clients once sent, and compares the answers: see README.md. */

let root = "";
let source = "";

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "stithy-replay-"));
  source = join(root, "source");
  await makeHistory(source);
});

afterAll(() => rmSync(root, { recursive: true }));

const names = readdirSync(join(import.meta.dir, "exchanges"))
  .map((name) => name.replace(".txt", ""))
  .sort();
const transcript = (name: string): Exchange[] =>
  parseTranscript(readFileSync(join(import.meta.dir, "exchanges", `${name}.txt`), "utf8"));

/** Sections of a v2 answer, and shallow lines, in one order: git's server sends `wanted-refs` before `shallow-info`, its documentation and its client have it the other way round. */
function inOrder(answer: readonly string[]): string[] {
  const sections: string[][] = [[]];
  for (const line of answer.map((sent) => sent.replace('"\\u0001', '"'))) {
    sections.at(-1)?.push(line);
    if (line === "0001") {
      sections.push([]);
    }
  }
  const isShallow = (line: string | undefined): boolean => line?.startsWith('"shallow ') === true;
  const places = ['"shallow-info\\n"', '"wanted-refs\\n"', '"packfile\\n"'];
  return sections
    .toSorted((left, right) => places.indexOf(left[0] ?? "") - places.indexOf(right[0] ?? ""))
    .flatMap((lines) => {
      const shallow = lines.filter(isShallow).sort();
      return lines.map((line) => (isShallow(line) ? (shallow.shift() ?? line) : line));
    });
}

/** Where our answer is not git's, and why. */
const ownAnswers: Record<string, string> = {
  "v2-refused": "the words of a refusal are our own",
  "v2-object-info": "git reads a first line that it does not know as an oid",
};

describe("recorded exchanges", () => {
  test.each(names)("%s", async (name) => {
    const repository = join(root, name);
    cpSync(source, repository, { recursive: true });
    await using server = new TransportServer(repository);
    const exchanges = transcript(name);
    expect(exchanges.length).toBeGreaterThan(0);
    for (const { path, protocol, request, answer } of exchanges) {
      const headers = {
        ...(protocol === "" ? {} : { "git-protocol": protocol }),
        "content-type": `application/x-${path}-request`,
      };
      const response = await fetch(
        `${server.url}/${path}`,
        path.startsWith("info") ? { headers } : { method: "POST", body: request as Uint8Array<ArrayBuffer>, headers },
      );
      expect(await describeAnswer(Buffer.from(await response.arrayBuffer()), source)).toEqual([...answer]);
    }
  });
});

// What was recorded stays what it is.
if (isThorough()) {
  describe("git's own server answers the same", () => {
    test.each(names.filter((name) => !name.includes("push") && !Object.hasOwn(ownAnswers, name)))(
      "%s",
      async (name) => {
        for (const { path, protocol, request, answer } of transcript(name)) {
          if (path === "git-upload-pack") {
            const child = Bun.spawn(
              ["git", "-c", "uploadpack.allowSidebandAll=true", "upload-pack", "--stateless-rpc", source],
              {
                stdin: request,
                stdout: "pipe",
                stderr: "ignore",
                env: { PATH: process.env["PATH"], GIT_PROTOCOL: protocol, GIT_CONFIG_NOSYSTEM: "1", HOME: root },
              },
            );
            const theirs = await describeAnswer(Buffer.from(await new Response(child.stdout).arrayBuffer()), source);
            expect(inOrder(theirs)).toEqual(inOrder(answer));
          }
        }
      },
    );
  });
}
