import { afterAll, beforeAll, expect, test } from "bun:test";
import { BesideServer, expectUndisturbed } from "./beside.ts";

/** Bodies that cost much to parse, to refuse or to render. */

let server: BesideServer;
beforeAll(async () => {
  server = await BesideServer.start();
  await server.api.post("/user/repos", { name: "busy", auto_init: true });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends a body several times, one after the other, and expects the same status of each. */
async function send(path: string, body: string, status: number, times = 5): Promise<void> {
  for (let time = 0; time < times; time++) {
    const answer = await server.api.fetch("POST", path, { headers: { "content-type": "application/json" }, body });
    expect({ status: answer.status, text: (await answer.text()).slice(0, 200) }).toMatchObject({ status });
  }
}

test.each([
  ["2 MB of opening brackets", "/markdown", "[".repeat(2_000_000), 422],
  ["a value of a million brackets", "/markdown", `{"Text":${"[".repeat(900_000)}${"]".repeat(900_000)}}`, 422],
  ["a list in place of a text", "/markdown", `{"Text":[${"0,".repeat(95_000)}0]}`, 422],
  ["a value of 2 MB that fits nowhere", "/markdown", JSON.stringify({ Mode: "\n".repeat(1_000_000) }), 422],
])("%s", async (_, path, body, status) => {
  expectUndisturbed(await server.during(() => send(path, body, status, 20)));
});

test("38 MB of three million keys", async () => {
  const body = `{${Array.from({ length: 3_000_000 }, (_, key) => `"k${key}":1`).join()}}`;
  expectUndisturbed(await server.during(() => send("/repos/root/busy/contents", body, 413)));
  expectUndisturbed(await server.during(() => send("/repos/root/busy/diffpatch", body, 413)));
});

test("30 MB of one text with escapes", async () => {
  const body = JSON.stringify({ content: "\n".repeat(15_000_000), message: 5 });
  expectUndisturbed(await server.during(() => send("/repos/root/busy/diffpatch", body, 422, 3)));
});

test("twelve documents that would take minutes to render", async () => {
  const text = "*a_".repeat(40_000);
  const render = async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await fetch(`${server.url}/api/v1/markdown/raw`, { method: "POST", headers, body: text });
    // It takes too long, or has waited too long for those before it.
    expect([422, 429]).toContain(answer.status);
  };
  expectUndisturbed(await server.during(async () => void (await Promise.all(Array.from({ length: 12 }, render)))));
});
