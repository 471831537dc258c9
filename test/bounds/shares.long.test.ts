import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { WebVisitor } from "../support/web-visitor.ts";
import { BesideServer } from "./beside.ts";

/** Several people behind one address, of whom one makes work for all. */

setDefaultTimeout(300_000);

let server: BesideServer;
beforeAll(async () => {
  server = await BesideServer.start();
  await server.api.post("/user/repos", { name: "heavy", auto_init: true });
  for (let page = 0; page < 12; page++) {
    const content = btoa(`${page} ${"*a_".repeat(40_000)}`);
    const { status } = await server.api.post(`/repos/root/heavy/contents/page${page}.md`, { content, message: "page" });
    expect(status).toBe(201);
  }
});
afterAll(() => server[Symbol.asyncDispose]());

/** The text of a page, and how long it took in milliseconds. */
async function load(work: () => Promise<string>): Promise<{ text: string; took: number }> {
  const began = performance.now();
  const text = await work();
  return { text, took: Math.round(performance.now() - began) };
}

test("twelve pages that take long to render, beside others at the same address", async () => {
  const neighbour = new WebVisitor(server.url);
  await neighbour.signIn("quiet", "a long password");
  const fetchText = async (path: string) => {
    const answer = await fetch(server.url + path);
    expect(answer.status).toBe(200);
    return answer.text();
  };
  // All of them ask as nobody at the same address, and so they share.
  const heavy = Array.from({ length: 12 }, (_, page) =>
    load(() => fetchText(`/root/heavy/src/branch/main/page${page}.md`)),
  );
  // Then one is being rendered, and the others wait.
  await Promise.race(heavy);
  const [signedIn, nobody] = await Promise.all([
    load(async () => (await neighbour.get("/quiet/garden")).text),
    load(() => fetchText("/quiet/garden")),
  ]);
  const pages = await Promise.all(heavy);
  console.log(
    `signed in ${signedIn.took} ms, nobody ${nobody.took}, heavy ${pages.map(({ took }) => took).join(", ")}`,
  );
  expect(signedIn.text).toContain('<article class="document">');
  expect(signedIn.took).toBeLessThan(5000);
  // At worst as its text, and not after all that came before.
  expect(nobody.took).toBeLessThan(12_000);
});
