import { afterAll, describe, expect, test } from "bun:test";
import { silentLogger } from "../../src/lib/log.ts";
import { TestApp, testPassword } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await TestApp.start({ auth: { failed_sign_ins_per_minute: 20 } }, silentLogger);
afterAll(() => app[Symbol.asyncDispose]());
const alice = await app.user("alice");
await app.repository(alice, "tour", { auto_init: true });
const browser = new WebVisitor(app.url);
await browser.signIn("alice", testPassword);
const nobody = new WebVisitor(app.url);

/** A fault of the server, for as long as `during` takes. */
async function broken<Value>(error: Error, during: () => Promise<Value>): Promise<Value> {
  const { identity } = app.forge;
  const { identifySession } = identity;
  const fail = () => {
    throw error;
  };
  Object.assign(identity, { identifySession: fail });
  try {
    return await during();
  } finally {
    Object.assign(identity, { identifySession });
  }
}

const frame = /<a class="brand" href="\/"[^]*<main id="content"[^]*<h1>[^<]+<\/h1>[^]*<footer class="foot">/;

describe("an error is told in the frame, with what to do", () => {
  test("404", async () => {
    const page = await nobody.get("/alice/none");
    expect([page.status, page.text]).toEqual([404, expect.stringMatching(frame)]);
    expect(page.text).toContain('href="/user/login?redirect_to=%2Falice%2Fnone"');
    const known = await browser.get("/alice/none");
    expect(known.text).toContain('<a class="button" href="/">Go to the front page</a>');
    expect(known.text).not.toContain("you may have to");
    expect(known.text).not.toContain("data-repository");
  });

  test("403", async () => {
    const page = await browser.post("/user/settings/appearance", {});
    expect([page.status, page.text]).toEqual([403, expect.stringMatching(frame)]);
    expect(page.text).toContain("alice, your account");
    expect(page.text).not.toContain("Try again</a>");
    expect((await nobody.post("/user/settings/appearance", {})).text).toContain(
      'You may have to <a href="/user/login">',
    );
  });

  test("429", async () => {
    for (let tries = 0; tries < 20; tries++) {
      await nobody.submit("/user/login", { user_name: "alice", password: `wrong ${tries}` });
    }
    const page = await nobody.submit("/user/login", { user_name: "alice", password: "wrong" });
    expect([page.status, page.text]).toEqual([429, expect.stringMatching(frame)]);
    expect(page.text).toContain('name="password"');
  });

  test("500, also before it is known who asks", async () => {
    const page = await broken(new Error("A fault <b>"), () => browser.get("/alice/tour?x=1&y=%22"));
    expect([page.status, page.text]).toEqual([500, expect.stringMatching(frame)]);
    expect(page.text).toContain('<a class="button main" href="/alice/tour?x=1&amp;y=%22">Try again</a>');
    expect(page.text).not.toContain("A fault");
  });

  test("503", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const page = await broken(refused, () => browser.get("/alice/tour"));
    expect([page.status, page.text]).toEqual([503, expect.stringMatching(frame)]);
    expect(page.headers.get("retry-after")).toBe("2");
  });
});
