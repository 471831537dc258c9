import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { formOf, sendForm } from "../support/web-forms.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const [alice, bob] = [await app.user("alice"), await app.user("bob")];
await app.user("carol");
await app.repository(alice, "tour", { auto_init: true, default_branch: "main" });
await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "admin" });
for (const name of ["release/1", "release/2", "fix/a"]) {
  await alice.api.post("/repos/alice/tour/branches", { new_branch_name: name });
}
await alice.api.post("/repos/alice/tour/tags", { tag_name: "v1" });

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}
const [asAlice, asBob] = [await signedIn("alice"), await signedIn("bob")];
const home = "/alice/tour/settings";
const [branches, edit, tags] = [`${home}/branches`, `${home}/branches/edit`, `${home}/tags`];

interface Rule {
  id: number;
  rule_name: string;
  priority: number;
  enable_push: boolean;
  required_approvals: number;
  push_whitelist_usernames: string[];
  status_check_contexts: string[];
}
const rules = async () => (await alice.api.get<Rule[]>("/repos/alice/tour/branch_protections")).body;

describe("a rule for branches", () => {
  test("shows what it would do before it is saved, and changes nothing by that", async () => {
    const shown = await sendForm(asAlice, edit, { rule_name: "release/*", required_approvals: "2", preview: "1" });
    expect(shown.status).toBe(200);
    expect(shown.text).toContain("It decides about 2 branches");
    expect(shown.text).toContain('href="/alice/tour/src/branch/release/1"');
    expect(shown.text).toContain("A merge takes 2 approvals");
    expect(shown.text).toContain('value="release/*"');
    expect((await sendForm(asAlice, edit, { rule_name: "[", preview: "1" })).text).toContain("cannot be read");
    expect((await sendForm(asAlice, edit, { rule_name: "x", required_approvals: "many", preview: "1" })).status).toBe(
      200,
    );
    expect(await rules()).toEqual([]);
  });

  test("is saved with every field, and tells what is wrong at its field", async () => {
    const typed = {
      rule_name: "release/*",
      required_approvals: "1",
      enable_push_whitelist: "1",
      push_whitelist_usernames: "alice, bob",
      status_check_contexts: "ci/test\r\n\r\nlint",
    };
    const refused = await sendForm(asAlice, edit, { ...typed, push_whitelist_usernames: "<ghost>" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('id="push_whitelist_usernames_problem"');
    expect(refused.text).toContain('value="&lt;ghost&gt;"');
    expect((await sendForm(asAlice, edit, { ...typed, required_approvals: "1001" })).text).toContain(
      'id="required_approvals_problem"',
    );
    expect((await sendForm(asAlice, edit, { ...typed, protected_file_patterns: "[" })).text).toContain(
      'id="protected_file_patterns_problem"',
    );
    expect((await sendForm(asAlice, edit, typed)).location).toBe(branches);
    expect(await rules()).toMatchObject([
      {
        rule_name: "release/*",
        enable_push: true,
        required_approvals: 1,
        push_whitelist_usernames: ["alice", "bob"],
        status_check_contexts: ["ci/test", "lint"],
      },
    ]);
    expect((await sendForm(asAlice, edit, typed)).text).toContain('id="rule_name_problem"');
    const { text } = await asAlice.get(branches);
    expect(text).toContain("Only alice and bob may push to it");
    expect(text).toContain("2 branches");
  });

  test("is not written over unseen by a second administrator", async () => {
    const at = `${edit}?rule_name=${encodeURIComponent("release/*")}`;
    const stale = formOf((await asAlice.get(at)).text, edit);
    expect((await sendForm(asBob, at, { required_approvals: "2" }, edit)).status).toBe(303);
    const told = await asAlice.post(edit, { ...stale, required_approvals: "0" });
    expect([told.status, told.text.includes("Somebody else changed the protection")]).toEqual([409, true]);
    expect((await rules())[0]?.required_approvals).toBe(2);
    // The page is that of now: sent again, it writes over what was told.
    expect((await asAlice.post(edit, { ...formOf(told.text, edit), required_approvals: "0" })).status).toBe(303);
  });

  test("decides before others of a later place, which can be changed", async () => {
    await sendForm(asAlice, edit, { rule_name: "**" });
    expect((await asAlice.get(branches)).text).toMatch(/\*\*<\/code>\s*<span class="soft small">2 branches/);
    const [first, second] = await rules();
    const order = `${first?.id},${second?.id}`;
    const csrf = formOf((await asAlice.get(branches)).text, `${branches}/order`)["_csrf"] ?? "";
    const sent = { _csrf: csrf, id: String(second?.id), seen: order, to: "up" };
    expect((await asAlice.post(`${branches}/order`, sent)).status).toBe(303);
    expect((await rules()).map(({ rule_name: name }) => name)).toEqual(["**", "release/*"]);
    expect((await asAlice.post(`${branches}/order`, sent)).status).toBe(409);
    expect((await asAlice.post(`${branches}/order`, { _csrf: csrf, id: "x", seen: "y", to: "up" })).status).toBe(422);
    expect((await asAlice.get(`${edit}?rule_name=${encodeURIComponent("release/*")}`)).text).toContain("It also fits");
  });

  test("can be tried, and decides as a push would", async () => {
    const ask = async (who: string, what: string, branch: string) =>
      (await asAlice.get(`${branches}?${new URLSearchParams({ who, what, branch }).toString()}`)).text;
    expect(await ask("carol", "push", "release/1")).toContain("they may not write to the code");
    expect(await ask("bob", "delete", "main")).toContain("nobody may delete the default branch");
    expect(await ask("bob", "force-push", "fix/a")).toContain("nobody may force it");
    expect(await ask("bob", "push", "fix/a")).toContain("<b>Yes.</b>");
    expect(await ask("<ghost>", "push", "fix/a")).toContain("There is no user &quot;&lt;ghost&gt;&quot;");
    expect((await ask("bob", "explode", "fix/a")).includes("<b>Yes")).toBeFalse();
  });

  test("is deleted", async () => {
    const at = `${edit}?rule_name=${encodeURIComponent("**")}`;
    expect((await sendForm(asAlice, at, {}, `${branches}/delete`)).status).toBe(303);
    expect((await rules()).map(({ rule_name: name }) => name)).toEqual(["release/*"]);
    expect((await asAlice.get(at)).status).toBe(404);
  });
});

test("a rule for tags is made, shown with its tags, changed and deleted", async () => {
  expect((await sendForm(asAlice, tags, { name_pattern: "/x/" })).text).toContain('id="name_pattern_problem"');
  expect((await sendForm(asAlice, tags, { name_pattern: "v*", whitelist_usernames: "alice" })).status).toBe(303);
  const { text } = await asAlice.get(tags);
  expect(text).toContain("Only alice may make, move and delete such a tag.");
  expect(text).toContain("1 tag");
  const at = /href="([^"]+\/tags\/\d+)"/.exec(text)?.[1] ?? "";
  const stale = formOf((await asAlice.get(at)).text, at);
  expect((await sendForm(asBob, at, { whitelist_usernames: "" })).status).toBe(303);
  expect((await asAlice.post(at, stale)).status).toBe(409);
  expect((await asAlice.get(tags)).text).toContain("Nobody may make, move or delete such a tag.");
  expect((await sendForm(asAlice, at, {}, `${at}/delete`)).status).toBe(303);
  expect((await asAlice.get(at)).status).toBe(404);
  expect((await asAlice.get(`${tags}/x`)).status).toBe(404);
});

void bob;
