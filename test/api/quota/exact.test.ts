import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { findUsage } from "../../../src/domain/identity/quota/queries.ts";
import { partsBy, partsOf, sizeOf } from "../../../src/domain/identity/quota/subjects.ts";
import { waitUntilIdle } from "../../../src/domain/server/wait-until-idle.ts";
import { LfsClient, sha256 } from "../../lfs/raw-lfs.ts";
import { mustGit, runGit, Scratch } from "../../support/git.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

/** Each way in which bytes come: up to the very byte of a limit they are stored, and one byte more is refused. */

const app = await useTestApp({
  quota: { enforced: true, guest_percent: 50, default_groups: ["standard"], warning_percent: 0 },
});
const { quota } = app.forge.config as { quota: { repository_limit_bytes: number } };
const { api: root } = await app.admin();
const stranger = await app.user("stranger");
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

const unlimited = 1_000_000_000;
await root.post("/admin/quota/rules", { name: "all", limit: unlimited, subjects: ["size:all"] });
await root.post("/admin/quota/groups", { name: "standard", rules: [{ name: "all" }] });
await root.post("/admin/quota/groups", { name: "unlimited" });
await root.put("/admin/quota/groups/unlimited/users/stranger");
const limitTo = (limit: number) => root.patch("/admin/quota/rules/all", { limit });

const work = scratch.join("work");
await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
async function commit(): Promise<void> {
  writeFileSync(`${work}/file`, randomBytes(20_000));
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", "many bytes"]);
}
await commit();
await mustGit(work, ["checkout", "-q", "-b", "topic"]);
await commit();
await mustGit(work, ["checkout", "-q", "main"]);
await commit();
await app.repository(stranger, "site");
await push(stranger, "stranger/site", "main:refs/heads/main");

const content = randomBytes(1000);
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

async function push(user: TestUser, repository: string, refs: string): Promise<boolean> {
  const url = `${app.url.replace("://", `://${user.name}:${user.token}@`)}/${repository}.git`;
  return (await runGit(work, ["push", "-q", url, refs])).code === 0;
}

async function send(user: TestUser, method: string, path: string, body: FormData | Buffer): Promise<boolean> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    body,
    headers: { authorization: `token ${user.token}` },
  });
  expect([response.status, 413]).toContain(response.ok ? 413 : response.status);
  return response.ok;
}

function attach(user: TestUser, path: string): Promise<boolean> {
  const form = new FormData();
  form.append("attachment", new File([content], "file.txt"));
  return send(user, "POST", `/api/v1${path}/assets`, form);
}

const call = async (user: TestUser, path: string, body?: object) => {
  const { status } = await user.api.post(path, body);
  expect([200, 201, 202, 204, 413]).toContain(status);
  return status !== 413;
};

/** A way in: what is there before, and what brings the bytes and says whether they were accepted. */
interface Way {
  readonly prepare?: (owner: TestUser) => Promise<unknown>;
  readonly bring: (owner: TestUser) => Promise<boolean>;
  /** Guests bring it: their share is half of each limit. */
  readonly byGuests?: true;
  /** How many bytes would come, where none do. */
  readonly bytes?: number;
  /** A repository that has nothing before gets it. */
  readonly intoRepository?: true;
}

const site = (owner: TestUser) => `${owner.name}/site`;
const base = (owner: TestUser) => push(owner, site(owner), "main:refs/heads/main");
const openIssue = (owner: TestUser) => call(owner, `/repos/${site(owner)}/issues`, { title: "t" });
const usedBy = async ({ id }: TestUser, by: "owner" | "guests") => {
  const usage = await findUsage(app.forge.database.db, id);
  return sizeOf(usage, partsBy(by, partsOf(["size:all"])));
};
const textsOf = async ({ id }: TestUser) =>
  sizeOf(await findUsage(app.forge.database.db, id), new Set(["texts", "guestsTexts"]));

const openWiki = ({ api, name }: TestUser) => api.patch(`/repos/${name}/site`, { globally_editable_wiki: true });

const ways: Record<string, Way> = {
  "a push": { bring: base, intoRepository: true },
  "a push to a wiki": {
    bring: (owner) => push(owner, `${site(owner)}.wiki`, "main:refs/heads/main"),
    intoRepository: true,
  },
  "a guest's push to a wiki": {
    prepare: openWiki,
    bring: (owner) => push(stranger, `${site(owner)}.wiki`, "main:refs/heads/main"),
    byGuests: true,
    intoRepository: true,
  },
  "a guest's LFS object of a wiki": {
    prepare: openWiki,
    bring: async (owner) =>
      (await LfsClient.of(app, `${site(owner)}.wiki`, stranger.token).put(sha256(content), content)).status === 200,
    byGuests: true,
    intoRepository: true,
  },
  "a push for review": {
    prepare: base,
    // It conflicts, so that the server makes no merge of it, which would take bytes, too.
    bring: (owner) => push(stranger, site(owner), "topic:refs/for/main/topic"),
    byGuests: true,
    intoRepository: true,
  },
  "an LFS object": {
    bring: async (owner) =>
      (await LfsClient.of(app, site(owner), owner.token).put(sha256(content), content)).status === 200,
    intoRepository: true,
  },
  "an LFS object that a batch declares": {
    async bring(owner) {
      const client = LfsClient.of(app, site(owner), owner.token);
      const { body } = await client.batch("upload", [{ oid: sha256(content), size: content.length }]);
      return body.objects[0]?.error === undefined;
    },
    bytes: content.length,
    intoRepository: true,
  },
  "a file of a release": {
    async bring(owner) {
      const { body } = await owner.api.get<{ id: number }[]>(`/repos/${site(owner)}/releases`);
      return attach(owner, `/repos/${site(owner)}/releases/${body[0]?.id}`);
    },
    async prepare(owner) {
      await base(owner);
      await call(owner, `/repos/${site(owner)}/releases`, { tag_name: "v1" });
    },
  },
  "a file of an issue": { prepare: openIssue, bring: (owner) => attach(owner, `/repos/${site(owner)}/issues/1`) },
  "a file of a guest's issue": {
    prepare: (owner) => call(stranger, `/repos/${site(owner)}/issues`, { title: "t" }),
    bring: (owner) => attach(stranger, `/repos/${site(owner)}/issues/1`),
    byGuests: true,
  },
  "an issue": { bring: openIssue },
  "a guest's issue": {
    bring: (owner) => call(stranger, `/repos/${site(owner)}/issues`, { title: "t", body: "text" }),
    byGuests: true,
  },
  "a guest's comment": {
    prepare: openIssue,
    bring: (owner) => call(stranger, `/repos/${site(owner)}/issues/1/comments`, { body: "text" }),
    byGuests: true,
  },
  "an artifact": {
    bring: (owner) => send(owner, "POST", `/api/v1/repos/${site(owner)}/actions/runs/1/artifacts?name=a`, content),
  },
  "a package": { bring: (owner) => send(owner, "PUT", `/api/packages/${owner.name}/generic/a/1/file`, content) },
  "a picture of a user": { bring: (owner) => call(owner, "/user/avatar", { image: png.toString("base64") }) },
  "a picture of a repository": {
    bring: (owner) => call(owner, `/repos/${site(owner)}/avatar`, { image: png.toString("base64") }),
  },
  "a new repository": { prepare: base, bring: (owner) => call(owner, "/user/repos", { name: "new" }) },
  "a fork": { bring: (owner) => call(owner, "/repos/stranger/site/forks", { name: "fork" }), intoRepository: true },
  "a transfer": {
    async prepare(owner) {
      await app.repository(stranger, `for-${owner.name}`);
      await push(stranger, `stranger/for-${owner.name}`, "main:refs/heads/main");
      await call(stranger, `/repos/stranger/for-${owner.name}/transfer`, { new_owner: owner.name });
    },
    bring: (owner) => call(owner, `/repos/stranger/for-${owner.name}/transfer/accept`),
  },
};

const sharedBy = ({ byGuests }: Pick<Way, "byGuests">) => (byGuests ? "guests" : "owner");
let number = 0;

/** An owner for whom all is ready, and how many bytes they have. */
async function ready(way: Pick<Way, "prepare" | "byGuests">): Promise<{ owner: TestUser; used: number }> {
  await limitTo(unlimited);
  quota.repository_limit_bytes = 0;
  const owner = await app.user(`owner-${++number}`);
  await app.repository(owner, "site");
  await way.prepare?.(owner);
  return { owner, used: await usedBy(owner, sharedBy(way)) };
}

/** How many bytes come this way, and how many of them are of no text, which alone count for the repository. */
async function measure(way: Way): Promise<{ bytes: number; inRepository: number }> {
  const { owner, used } = await ready(way);
  const texts = await textsOf(owner);
  expect(await way.bring(owner)).toBe(true);
  const bytes = way.bytes ?? (await usedBy(owner, sharedBy(way))) - used;
  return { bytes, inRepository: bytes - (await textsOf(owner)) + texts };
}

describe.each(Object.entries(ways))("%s", (_, way) => {
  test("is refused at one byte over a limit, and stored at the very limit", async () => {
    const share = way.byGuests ? 2 : 1;
    const { bytes, inRepository } = await measure(way);
    const { owner, used } = await ready(way);
    await limitTo((used + bytes) * share - 1);
    expect(await way.bring(owner)).toBe(false);
    expect(await usedBy(owner, sharedBy(way))).toBe(used);
    await limitTo((used + bytes) * share);
    if (way.intoRepository === true) {
      quota.repository_limit_bytes = inRepository * share - 1;
      expect(await way.bring(owner)).toBe(false);
      expect(await usedBy(owner, sharedBy(way))).toBe(used);
      quota.repository_limit_bytes = inRepository * share;
    }
    expect(await way.bring(owner)).toBe(true);
  });
});

test("what guests brought is the owner's with the merge where there is room for its very last byte", async () => {
  /** How many bytes are still those of guests after a merge that leaves the owner so much room too little. */
  const leftBy = async (missing: { owner: number; repository: number }) => {
    const { owner, used } = await ready({
      async prepare(by) {
        expect(await push(by, site(by), "main~1:refs/heads/main")).toBe(true);
        expect(await push(stranger, site(by), "topic:refs/for/main/topic")).toBe(true);
        await waitUntilIdle(app.forge, 60_000);
      },
    });
    const texts = await textsOf(owner);
    const brought = (await usedBy(owner, "guests")) - texts;
    expect(brought).toBeGreaterThan(20_000);
    await limitTo(used + brought - missing.owner);
    quota.repository_limit_bytes = used + brought - missing.repository;
    expect(await call(owner, `/repos/${site(owner)}/pulls/1/merge`, { Do: "fast-forward-only" })).toBe(true);
    return (await usedBy(owner, "guests")) === texts ? "none" : "all";
  };
  expect(await leftBy({ owner: 1, repository: 0 })).toBe("all");
  expect(await leftBy({ owner: 0, repository: 1 })).toBe("all");
  expect(await leftBy({ owner: 0, repository: 0 })).toBe("none");
});
