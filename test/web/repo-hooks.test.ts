import { afterAll, describe, expect, test } from "bun:test";
import { Receiver } from "../support/receiver.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { formOf, sendForm } from "../support/web-forms.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp({
  auth: { failed_sign_ins_per_minute: 1000 },
  outbound: { allowed_networks: ["127.0.0.1"] },
});
const alice = await app.user("alice");
const receiver = new Receiver();
afterAll(() => receiver[Symbol.asyncDispose]());
await app.repository(alice, "tour", { auto_init: true, default_branch: "main" });
await app.repository(alice, "bare");
const asAlice = new WebVisitor(app.url);
await asAlice.signIn("alice", testPassword);
const hooks = "/alice/tour/settings/hooks";

interface HookJson {
  id: number;
  type: string;
  active: boolean;
  events: string[];
  branch_filter: string;
  config: Record<string, string>;
  authorization_header: string;
}
const list = async () => (await alice.api.get<HookJson[]>("/repos/alice/tour/hooks")).body;

/** The page of a webhook once it shows this. */
async function shown(path: string, text: string): Promise<string> {
  let page = "";
  await until(`the page shows ${text}`, async () => {
    page = (await asAlice.get(path)).text;
    return page.includes(text);
  });
  return page;
}

describe("a webhook", () => {
  test("is offered for each kind, and there is no other", async () => {
    const { text } = await asAlice.get(hooks);
    for (const kind of ["gitea", "slack", "msteams", "packagist"]) {
      expect(text).toContain(`href="${hooks}/${kind}/new"`);
      expect((await asAlice.get(`${hooks}/${kind}/new`)).status).toBe(200);
    }
    expect((await asAlice.get(`${hooks}/<x>/new`)).status).toBe(404);
    expect((await asAlice.get(`${hooks}/slack/new`)).text).toContain('name="config.channel"');
  });

  test("tells what is wrong at its field, keeps what was typed, and sends no secret back", async () => {
    const refused = await sendForm(asAlice, `${hooks}/gitea/new`, {
      "config.url": "ftp://x",
      "config.secret": "open sesame",
      authorization_header: "Bearer sesame",
      branch_filter: "main",
    });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('id="config.url_problem"');
    expect(refused.text).toContain('value="ftp://x"');
    expect(refused.text).toContain('name="branch_filter" aria-describedby="branch_filter_hint" value="main"');
    expect(refused.text).not.toContain("sesame");
    const filter = { "config.url": receiver.url(), branch_filter: "[" };
    expect((await sendForm(asAlice, `${hooks}/gitea/new`, filter)).text).toContain('id="branch_filter_problem"');
  });

  test("is made, tried, and shows what was sent and answered", async () => {
    const made = await sendForm(asAlice, `${hooks}/gitea/new`, {
      "config.url": receiver.url("/here"),
      "config.secret": "sesame",
      authorization_header: "Bearer sesame",
    });
    expect(made.status).toBe(303);
    const at = made.location;
    expect((await asAlice.get(at)).text).not.toContain("sesame");
    receiver.answer = () => new Response("<b>thanks</b>", { status: 500, headers: { "x-why": "<i>" } });
    expect((await sendForm(asAlice, at, { ref: "missing" }, `${at}/test`)).status).toBe(404);
    expect((await sendForm(asAlice, at, { ref: "" }, `${at}/test`)).status).toBe(303);
    const failed = await shown(at, "(500)");
    const delivery = /href="([^"]+\/deliveries\/\d+)"/.exec(failed)?.[1] ?? "";
    const { text } = await asAlice.get(delivery);
    expect(text).toContain("&lt;b&gt;thanks&lt;/b&gt;");
    expect(text).toContain("x-why");
    expect(text).toMatch(/x-gitea-event/i);
    expect(text).toContain("refs/heads/main");
    expect(text).not.toContain("Bearer sesame");
    expect((await asAlice.get(hooks)).text).toContain("the receiver failed at its end (500)");
    expect((await asAlice.get(`${at}?state=delivered`)).text).toContain("There is none of this kind");
    expect((await asAlice.get(delivery.replace(/\d+$/, "999999"))).status).toBe(404);
    expect(receiver.received.at(-1)?.headers["authorization"]).toBe("Bearer sesame");
  });

  test("is sent a delivery once more", async () => {
    receiver.answer = () => new Response("ok");
    const { location: at } = await sendForm(asAlice, `${hooks}/gogs/new`, { "config.url": receiver.url("/again") });
    await sendForm(asAlice, at, { ref: "main" }, `${at}/test`);
    const text = await shown(`${at}?state=delivered`, "the receiver answered 200");
    const delivery = /href="([^"]+\/deliveries\/\d+)"/.exec(text)?.[1] ?? "";
    expect((await sendForm(asAlice, delivery, {})).status).toBe(303);
    await shown(at, "sent again");
    await sendForm(asAlice, at, {}, `${at}/delete`);
  });

  test("keeps its secret unless it is removed, and is not written over unseen", async () => {
    const [row] = await list();
    const at = `${hooks}/${row?.id}`;
    const stale = formOf((await asAlice.get(at)).text, at);
    const { location } = await sendForm(asAlice, at, { branch_filter: "main", events: "release", active: undefined });
    expect(location).toBe(at);
    expect((await list())[0]).toMatchObject({
      active: false,
      events: ["release"],
      branch_filter: "main",
      authorization_header: "Bearer sesame",
    });
    const told = await asAlice.post(at, stale);
    expect([told.status, told.text.includes("Somebody else changed this webhook")]).toEqual([409, true]);
    await sendForm(asAlice, at, { no_header: "1" });
    expect((await list())[0]?.authorization_header).toBe("");
  });

  test("is deleted; one of another repository is not there", async () => {
    const [row] = await list();
    expect((await asAlice.get(`/alice/bare/settings/hooks/${row?.id}`)).status).toBe(404);
    expect((await sendForm(asAlice, `${hooks}/${row?.id}`, {}, `${hooks}/${row?.id}/delete`)).location).toBe(hooks);
    expect(await list()).toEqual([]);
    for (const path of ["x", "0", "999999", "1/deliveries/x"]) {
      expect((await asAlice.get(`${hooks}/${path}`)).status).toBe(404);
    }
  });

  test("of a repository without commits offers no test", async () => {
    const { location } = await sendForm(asAlice, "/alice/bare/settings/hooks/gitea/new", {
      "config.url": receiver.url(),
    });
    expect((await asAlice.get(location)).text).not.toContain("Send a test");
  });
});
