import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { sendForm } from "../support/web-forms.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({
  auth: { failed_sign_ins_per_minute: 1000 },
  outbound: { allowed_networks: ["127.0.0.1"] },
});
const [alice, bob] = [await app.user("alice"), await app.user("bob")];
await app.repository(alice, "tour", { auto_init: true, default_branch: "main" });
await alice.api.put("/repos/alice/tour/collaborators/bob", { permission: "admin" });
const [asAlice, asBob] = [new WebVisitor(app.url), new WebVisitor(app.url)];
await asAlice.signIn("alice", testPassword);
await asBob.signIn("bob", testPassword);
const home = "/alice/tour/settings";
const [mirrors, secrets, lfs] = [`${home}/mirrors`, `${home}/actions/secrets`, `${home}/lfs`];

interface MirrorJson {
  remote_address: string;
  interval: string;
  branch_filter: string;
  sync_on_commit: boolean;
}

describe("push mirrors", () => {
  test("tell what is wrong at its field, and send no password back", async () => {
    const refused = await sendForm(
      asAlice,
      mirrors,
      { remote_address: "git://x.example", remote_password: "sesame" },
      `${mirrors}/new`,
    );
    expect([refused.status, refused.text.includes('id="remote_address_problem"')]).toEqual([422, true]);
    expect(refused.text).not.toContain("sesame");
    const often = { remote_address: "https://git.example.org/a.git", interval: "1s" };
    expect((await sendForm(asAlice, mirrors, often, `${mirrors}/new`)).text).toContain('id="interval_problem"');
    expect(
      (await sendForm(asAlice, mirrors, { ...often, interval: "8h", use_ssh: "1" }, `${mirrors}/new`)).status,
    ).toBe(422);
  });

  test("are added, pushed to and deleted", async () => {
    const typed = {
      remote_address: "http://127.0.0.1:9/a.git",
      remote_username: "robot",
      remote_password: "sesame",
      branch_filter: "release/*",
      interval: "12h0m0s",
      sync_on_commit: undefined,
    };
    expect((await sendForm(asAlice, mirrors, typed, `${mirrors}/new`)).location).toBe(mirrors);
    const list = async () => (await alice.api.get<MirrorJson[]>("/repos/alice/tour/push_mirrors")).body;
    expect(await list()).toMatchObject([
      {
        remote_address: "http://127.0.0.1:9/a.git",
        interval: "12h0m0s",
        branch_filter: "release/*",
        sync_on_commit: false,
      },
    ]);
    const { text } = await asAlice.get(mirrors);
    expect(text).toContain("<b>http://127.0.0.1:9/a.git</b>");
    expect(text).toContain("signs in with what nobody is shown");
    expect(text).not.toContain("sesame");
    expect((await sendForm(asAlice, mirrors, {}, `${mirrors}/push`)).status).toBe(303);
    expect((await sendForm(asAlice, mirrors, {}, `${mirrors}/delete`)).status).toBe(303);
    expect(await list()).toEqual([]);
  });

  test("of SSH show the key that the other server has to know", async () => {
    const typed = { remote_address: "git@git.example.org:a.git", use_ssh: "1" };
    const made = await sendForm(asAlice, mirrors, typed, `${mirrors}/new`);
    // A server that calls no SSH refuses it in words.
    expect([303, 422]).toContain(made.status);
    if (made.status === 303) {
      expect((await asAlice.get(mirrors)).text).toContain("<code>ssh-ed25519 ");
    }
  });

  test("a repository that follows nothing has nothing to synchronize", async () => {
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await asAlice.get(mirrors)).text)?.[1] ?? "";
    expect((await asAlice.post(`${mirrors}/sync`, { _csrf: csrf })).status).toBe(422);
    expect((await asAlice.post(mirrors, { _csrf: csrf, mirror_interval: "8h" })).status).toBe(404);
    expect((await asAlice.post(`${mirrors}/delete`, { _csrf: csrf, name: "<x>" })).status).toBe(404);
  });
});

describe("secrets and variables", () => {
  test("are for the owner alone", async () => {
    expect((await asBob.get(secrets)).status).toBe(403);
    expect((await asBob.get(home)).text).not.toContain("actions/secrets");
    expect((await asAlice.get(home)).text).toContain("actions/secrets");
  });

  test("are set, changed and deleted; nobody is shown a secret", async () => {
    const bad = await sendForm(asAlice, secrets, { secret_name: "1 x", secret_value: "sesame" }, `${secrets}/secret`);
    expect([bad.status, bad.text.includes('id="secret_name_problem"'), bad.text.includes("sesame")]).toEqual([
      422,
      true,
      false,
    ]);
    expect(
      (await sendForm(asAlice, secrets, { secret_name: "key", secret_value: "sesame" }, `${secrets}/secret`)).status,
    ).toBe(303);
    const variable = { variable_name: "level", variable_value: "<b>\r\nhigh" };
    expect((await sendForm(asAlice, secrets, variable, `${secrets}/variable`)).status).toBe(303);
    const again = await sendForm(asAlice, secrets, variable, `${secrets}/variable`);
    expect([again.status, again.text.includes('id="variable_name_problem"')]).toEqual([422, true]);
    const { text } = await asAlice.get(secrets);
    expect(text).toContain("<code>KEY</code>");
    expect(text).toContain("&lt;b&gt;\nhigh");
    expect(text).toContain("runs no actions");
    expect(text).not.toContain("sesame");
    await sendForm(asAlice, secrets, { value: "low" }, `${secrets}/variable/change`);
    expect((await alice.api.get("/repos/alice/tour/actions/variables/level")).body).toMatchObject({ data: "low" });
    expect((await sendForm(asAlice, secrets, {}, `${secrets}/variable/delete`)).status).toBe(303);
    expect((await sendForm(asAlice, secrets, {}, `${secrets}/secret/delete`)).status).toBe(303);
    expect((await asAlice.get(secrets)).text).toContain("No secrets");
  });
});

describe("storage", () => {
  test("is said by kind", async () => {
    const form = new FormData();
    form.set("attachment", new Blob(["12345"]), "a.txt");
    await alice.api.post("/repos/alice/tour/issues", { title: "One" });
    const sent = await fetch(`${app.url}/api/v1/repos/alice/tour/issues/1/assets`, {
      method: "POST",
      headers: { authorization: `token ${alice.token}` },
      body: form,
    });
    expect(sent.status).toBe(201);
    const { text } = await asAlice.get(`${home}/usage`);
    expect(text).toMatch(/Files of issues<\/b>.*?5 bytes/s);
    expect(text).toMatch(/Git LFS<\/b>.*?0 bytes/s);
  });

  test("shows LFS objects and locks, which administrators open by force", async () => {
    const oid = new Bun.CryptoHasher("sha256").update("large").digest("hex");
    const basic = { authorization: `Basic ${Buffer.from(`alice:${alice.token}`).toString("base64")}` };
    const json = { "content-type": "application/vnd.git-lfs+json", accept: "application/vnd.git-lfs+json", ...basic };
    const at = `${app.url}/alice/tour.git/info/lfs`;
    const put = await fetch(`${at}/objects/${oid}`, {
      method: "PUT",
      headers: { ...basic, "content-type": "application/octet-stream" },
      body: "large",
    });
    expect(put.status).toBe(200);
    const locked = await fetch(`${at}/locks`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ path: "a <b>.psd" }),
    });
    expect(locked.status).toBe(201);
    const { text } = await asBob.get(lfs);
    expect(text).toContain(`<code>${oid}</code>`);
    expect(text).toContain("a &lt;b&gt;.psd");
    expect(text).toContain("1 file, 5 bytes");
    expect((await sendForm(asBob, lfs, {}, `${lfs}/unlock`)).status).toBe(303);
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await asBob.get(lfs)).text)?.[1] ?? "";
    expect((await asBob.post(`${lfs}/unlock`, { _csrf: csrf, id: "x" })).status).toBe(404);
    expect((await asBob.get(lfs)).text).toContain("No locks");
  });
});

void bob;
