import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.user("bob");
await app.repository(alice, "tour", { auto_init: true });
const nobody = new WebVisitor(app.url);
const owner = new WebVisitor(app.url);
await owner.signIn("alice", testPassword);
const stranger = new WebVisitor(app.url);
await stranger.signIn("bob", testPassword);

interface Pull {
  number: number;
  title: string;
  merged: boolean;
  head: { sha: string };
  requested_reviewers: { login: string }[] | null;
}

let branches = 0;
async function propose(title: string): Promise<Pull> {
  const head = `branch-${++branches}`;
  const file = { content: Buffer.from(`${head}\n`).toString("base64"), message: `Add ${head}`, new_branch: head };
  await alice.api.post(`/repos/alice/tour/contents/${head}.txt`, file);
  const { number } = (await alice.api.post<Pull>("/repos/alice/tour/pulls", { title, head, base: "main" })).body;
  return pull(number);
}
const pull = async (number: number) => (await alice.api.get<Pull>(`/repos/alice/tour/pulls/${number}`)).body;
const page = (number: number, rest = "") => `/alice/tour/pulls/${number}${rest}`;

/** Sends a form of a page; one that is not offered is made of another. */
async function send(visitor: WebVisitor, from: string, to: string, fields: Record<string, string>) {
  const { text } = await visitor.get(from);
  const form = text.includes(`action="${to}"`) ? to : "/user/logout";
  return visitor.post(to, { ...hiddenFields(text, form), ...fields });
}

describe("what somebody may not do", () => {
  test("who may only read is not offered to merge, and cannot", async () => {
    const { number } = await propose("Not theirs");
    expect((await stranger.get(page(number))).text).not.toContain(`action="${page(number, "/merge")}"`);
    for (const [path, fields] of Object.entries({
      merge: { style: "merge" },
      update: {},
      ready: {},
      reviewers: { reviewer: "alice" },
    })) {
      const { status } = await send(stranger, page(number), page(number, `/${path}`), fields);
      expect([path, [403, 409, 303].includes(status)]).toEqual([path, true]);
    }
    expect(await pull(number)).toMatchObject({ merged: false, title: "Not theirs" });
    expect((await nobody.get(page(number, "/files"))).status).toBe(200);
    expect((await nobody.post(page(number, "/merge"), { style: "merge" })).status).not.toBe(200);
  });

  test("an issue is no pull request", async () => {
    const { body } = await alice.api.post<{ number: number }>("/repos/alice/tour/issues", { title: "An issue" });
    for (const rest of ["/files", "/commits"]) {
      expect((await owner.get(page(body.number, rest))).status).toBe(404);
    }
    const { status } = await send(owner, `/alice/tour/issues/${body.number}`, page(body.number, "/merge"), {
      style: "merge",
    });
    expect(status).toBe(404);
  });
});

describe("a pull request", () => {
  test("shows its commits and its files", async () => {
    const { number } = await propose("See me");
    const files = await nobody.get(page(number, "/files"));
    expect(files.status).toBe(200);
    expect(files.headers.get("x-robots-tag")).toBe("noindex, nofollow");
    expect(files.text).toContain(`branch-${branches}.txt`);
    expect((await nobody.get(page(number, "/commits"))).text).toContain(`Add branch-${branches}`);
    const text = await nobody.get(page(number, ".diff"));
    expect(text.text).toStartWith("diff --git");
  });

  test("is merged in a style that the repository allows, and says so", async () => {
    const { number } = await propose("Merge me");
    const wrong = await send(owner, page(number), page(number, "/merge"), { style: "octopus" });
    expect(wrong.status).toBe(422);
    const merged = await send(owner, page(number), page(number, "/merge"), {
      style: "squash",
      title: "Squashed",
      delete: "1",
    });
    expect(merged.status).toBe(303);
    expect(await pull(number)).toMatchObject({ merged: true });
    const { text } = await owner.get(page(number));
    expect(text).toContain("The pull request is merged.");
    expect(text).toContain("merged this");
    expect((await alice.api.get(`/repos/alice/tour/branches/branch-${branches}`)).status).toBe(404);
  });

  test("is not merged if its head has moved since the page was made", async () => {
    const { number } = await propose("Moves");
    const { text } = await owner.get(page(number));
    const fields = hiddenFields(text, page(number, "/merge"));
    await alice.api.post(`/repos/alice/tour/contents/later-${branches}.txt`, {
      content: "eA==",
      message: "Later",
      branch: `branch-${branches}`,
    });
    const refused = await owner.post(page(number, "/merge"), { ...fields, style: "merge" });
    expect(refused.status).toBe(409);
    expect(await pull(number)).toMatchObject({ merged: false });
  });

  test("waits for its checks, until that is taken back", async () => {
    const { number, head } = await propose("Later");
    await alice.api.post(`/repos/alice/tour/statuses/${head.sha}`, { state: "pending", context: "ci" });
    expect((await send(owner, page(number), page(number, "/merge"), { style: "merge", when: "checks" })).status).toBe(
      303,
    );
    expect((await owner.get(page(number))).text).toContain("It is merged as soon as all checks succeed");
    await send(owner, page(number), page(number, "/merge"), { when: "never" });
    expect((await owner.get(page(number))).text).not.toContain("It is merged as soon as all checks succeed</span>");
  });

  test("is reviewed by others, not by its author", async () => {
    const { number } = await propose("Review me");
    const own = await send(owner, page(number, "/files"), page(number, "/review"), {
      verdict: "approve",
      body: "mine",
    });
    expect(own.status).toBeGreaterThanOrEqual(400);
    const none = await send(stranger, page(number, "/files"), page(number, "/review"), {
      verdict: "",
      body: "kept words",
    });
    expect(none.status).toBe(422);
    expect(none.text).toContain("kept words");
    const given = await send(stranger, page(number, "/files"), page(number, "/review"), {
      verdict: "approve",
      body: "Looks *good*",
    });
    expect(given.status).toBe(303);
    const { text } = await nobody.get(page(number));
    expect(text).toContain("approved these changes");
    expect(text).toContain("Looks <em>good</em>");
  });

  test("asks for a review, and tells who cannot be asked", async () => {
    const { number } = await propose("Ask");
    expect((await send(owner, page(number), page(number, "/reviewers"), { reviewer: "bob" })).status).toBe(303);
    expect((await pull(number)).requested_reviewers?.map(({ login }) => login)).toEqual(["bob"]);
    expect(
      (await send(owner, page(number), page(number, "/reviewers"), { reviewer: "nobody-there" })).status,
    ).toBeGreaterThanOrEqual(400);
  });

  test("that is a draft is made ready", async () => {
    const { number } = await propose("WIP: half done");
    const { text } = await owner.get(page(number));
    expect(text).toContain("It is a draft");
    expect(text).not.toContain('value="squash"');
    await send(owner, page(number), page(number, "/ready"), {});
    expect((await pull(number)).title).toBe("half done");
  });
});
