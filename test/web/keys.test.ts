import { describe, expect, test } from "bun:test";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const browser = new WebVisitor(app.url);
await browser.signIn("alice", testPassword);

const path = "/user/settings/keys";

/** The line of a .pub file of a key that nobody else has. */
function publicKey(comment: string): string {
  const { publicKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const blob = Buffer.concat([field(Buffer.from("ssh-ed25519")), field(raw)]);
  return `ssh-ed25519 ${blob.toString("base64")} ${comment}`;
}

const csrfOf = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
const keysOf = async (user = alice) => (await user.api.get<{ id: number; title: string }[]>("/user/keys")).body;

describe("the page of SSH keys", () => {
  test("is nobody's without a session, and takes no form of another site or without its token", async () => {
    const fields = { title: "laptop", key: publicKey("x") };
    const nobody = new WebVisitor(app.url);
    expect((await nobody.get(path)).location).toContain("/user/login");
    expect((await nobody.post(path, fields)).status).toBe(403);
    expect((await browser.post(path, fields)).status).toBe(403);
    expect((await browser.post(path, { ...fields, _csrf: randomBytes(32).toString("base64url") })).status).toBe(403);
    const _csrf = csrfOf((await browser.get(path)).text);
    const elsewhere = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    expect((await browser.post(path, { ...fields, _csrf }, elsewhere)).status).toBe(403);
    expect(await keysOf()).toEqual([]);
  });

  test("says what is wrong with a key, keeps what was typed, and sends no private key back", async () => {
    const reason = async (fields: Record<string, string>) => {
      const { status, text } = await browser.submit(path, { title: "", ...fields });
      expect(status).toBe(422);
      return { text, reason: /role="alert">.*?<p>([^<]*)</s.exec(text)?.[1] ?? "" };
    };
    expect((await reason({ key: "" })).reason).toContain("must begin with one of");
    const wrong = await reason({ key: `ssh-ed25519 <b>"x"</b>`, title: `"><script>` });
    expect(wrong.reason).toContain("is not base64");
    expect(wrong.text).toContain("ssh-ed25519 &lt;b&gt;&quot;x&quot;&lt;/b&gt;</textarea>");
    expect(wrong.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(wrong.text).not.toContain("<script>");
    const secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----";
    const refused = await reason({ key: secret });
    expect(refused.reason).toContain("it is a private key");
    expect(refused.text).not.toContain("c2VjcmV0");
    expect((await reason({ key: publicKey("") })).reason).toContain("title of a key");
  });

  test("adds a key under its comment or a title, shows it escaped, and deletes it", async () => {
    const key = publicKey("alice@<i>laptop</i>");
    expect((await browser.submit(path, { key })).location).toEndWith(path);
    expect((await browser.submit(path, { key: publicKey("other"), title: "desk" })).status).toBe(303);
    expect((await keysOf()).map(({ title }) => title)).toEqual(["alice@<i>laptop</i>", "desk"]);
    const { text } = await browser.get(path);
    expect(text).toContain("alice@&lt;i&gt;laptop&lt;/i&gt;");
    expect(text).not.toContain("<i>laptop");
    expect((await browser.submit(path, { key, title: "again" })).text).toContain("is in use already");
    const [first] = await keysOf();
    await browser.post(`${path}/delete`, { _csrf: csrfOf(text), id: String(first?.id) });
    expect((await keysOf()).map(({ title }) => title)).toEqual(["desk"]);
  });

  test("deletes nobody else's key, and none that is no number", async () => {
    await app.user("mallory");
    const mallory = new WebVisitor(app.url);
    await mallory.signIn("mallory", testPassword);
    const [key] = await keysOf();
    const _csrf = csrfOf((await mallory.get(path)).text);
    for (const id of [String(key?.id), "x", "", "1e3", "99999999999999999999"]) {
      expect((await mallory.post(`${path}/delete`, { _csrf, id })).status).toBe(404);
    }
    expect(await keysOf()).toHaveLength(1);
  });
});
