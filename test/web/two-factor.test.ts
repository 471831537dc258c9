import { expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { codeOf, wrongCodeOf } from "../support/totp.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const settings = "/user/settings/two_factor";

async function enrolled(name: string) {
  await app.user(name);
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  const begun = await browser.submit(settings, {}, `${settings}/begin`);
  const [, shown = ""] = /id="secret">([A-Z2-7 ]+)</.exec(begun.text) ?? [];
  const secret = shown.replaceAll(" ", "");
  return { browser, begun, secret };
}

const confirm = (browser: WebVisitor, from: string, given: string) =>
  browser.post(`${settings}/confirm`, { _csrf: /name="_csrf" value="([^"]+)"/.exec(from)?.[1] ?? "", code: given });

test("it is off until a first code was shown, and a wrong one changes nothing", async () => {
  const { browser, begun, secret } = await enrolled("alice");
  expect(begun.text).toContain("otpauth://totp/");
  expect(begun.text).toContain("<svg");
  const wrong = await confirm(browser, begun.text, wrongCodeOf(secret));
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain("The code is not the one that the authenticator shows now");
  expect((await browser.get(settings)).text).toContain("Set it up");
  expect((await new WebVisitor(app.url).signIn("alice", testPassword)).location).toBe("/");
});

test("a password alone opens nothing then; a code works once, and so does a recovery code", async () => {
  const { browser, begun, secret } = await enrolled("bob");
  const on = await confirm(browser, begun.text, codeOf(secret, -1));
  expect(on.status).toBe(200);
  const recovery = [...on.text.matchAll(/<code class="secret">([a-z2-7-]+)</g)].map(([, one = ""]) => one);
  expect(recovery).toHaveLength(10);

  const next = new WebVisitor(app.url);
  const half = await next.submit("/user/login", { user_name: "bob", password: testPassword, redirect_to: "/bob" });
  expect(half.location).toBe("/user/two_factor?redirect_to=%2Fbob");
  expect(half.headers.get("set-cookie")).not.toContain("Max-Age");
  expect((await next.get("/user/settings")).location).toStartWith("/user/two_factor");
  expect((await next.get("/user/settings/change_password")).location).toBe("/user/login");
  expect((await next.get("/")).text).not.toContain("Sign out");

  const give = (visitor: WebVisitor, given: string) =>
    visitor.submit("/user/two_factor?redirect_to=/bob", { code: given });
  expect((await give(next, wrongCodeOf(secret))).status).toBe(401);
  expect((await give(next, codeOf(secret, -1))).status).toBe(401);
  const { cookie } = next;
  expect((await give(next, codeOf(secret))).location).toBe("/bob");
  expect(next.cookie).not.toBe(cookie);
  expect((await next.get("/")).text).toContain("Sign out");

  // What was half way is gone with the step it took.
  const old = new WebVisitor(app.url);
  old.cookie = cookie;
  expect((await old.get("/user/two_factor")).location).toBe("/user/login");

  const third = new WebVisitor(app.url);
  await third.signIn("bob", testPassword);
  expect((await give(third, codeOf(secret))).status).toBe(401);
  expect((await give(third, (recovery[0] ?? "").toUpperCase())).location).toBe("/bob");
  const fourth = new WebVisitor(app.url);
  await fourth.signIn("bob", testPassword);
  expect((await give(fourth, recovery[0] ?? "")).status).toBe(401);
});

test("turning it off and new recovery codes need the password", async () => {
  const { browser, begun, secret } = await enrolled("carol");
  await confirm(browser, begun.text, codeOf(secret));
  expect((await browser.submit(settings, { password: "wrong" }, `${settings}/disable`)).text).toContain(
    "The password is wrong.",
  );
  expect((await browser.submit(settings, { password: "wrong" }, `${settings}/recovery_codes`)).text).toContain(
    "The password is wrong.",
  );
  expect((await browser.submit(settings, { password: testPassword }, `${settings}/recovery_codes`)).text).toContain(
    "Keep these recovery codes",
  );
  expect((await browser.submit(settings, { password: testPassword }, `${settings}/disable`)).text).toContain(
    "Set it up",
  );
  expect((await new WebVisitor(app.url).signIn("carol", testPassword)).location).toBe("/");
});

test("sessions are listed, ended one by one and all at once", async () => {
  await app.user("dora");
  const [first, second, third] = [
    new WebVisitor(app.url, { "user-agent": "First/1" }),
    new WebVisitor(app.url, { "user-agent": "<Second>" }),
    new WebVisitor(app.url),
  ];
  for (const browser of [first, second, third]) {
    await browser.signIn("dora", testPassword);
  }
  const path = "/user/settings/sessions";
  const page = await first.get(path);
  expect(page.text).toContain("&lt;Second&gt;");
  const [, csrf = "", id = ""] =
    /name="_csrf" value="([^"]+)">\s*<input type="hidden" name="id" value="(\d+)"/.exec(
      page.text.split("&lt;Second&gt;")[1] ?? "",
    ) ?? [];
  const eve = new WebVisitor(app.url);
  await app.user("eve");
  await eve.signIn("eve", testPassword);
  await eve.submit(path, { id }, `${path}/end_others`);
  const own = /name="_csrf" value="([^"]+)"/.exec((await eve.get(path)).text)?.[1] ?? "";
  await eve.post(`${path}/end`, { _csrf: own, id });
  const alive = async (browser: WebVisitor) => (await browser.get("/")).text.includes("Sign out");
  expect(await alive(second)).toBe(true);
  await first.post(`${path}/end`, { _csrf: csrf, id });
  expect([await alive(first), await alive(second), await alive(third)]).toEqual([true, false, true]);
  await first.submit(path, {}, `${path}/end_others`);
  expect([await alive(first), await alive(third)]).toEqual([true, false]);
});
