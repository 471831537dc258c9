import { afterAll, expect, test } from "bun:test";
import { recountUsage } from "../../src/domain/identity/quota/recount-queries.ts";
import { Receiver } from "../support/receiver.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** What happens around packages of any format: webhooks hear of them, downloads are counted, use is what the quota says. */

const app = await useTestApp({ outbound: { allowed_networks: ["127.0.0.1"] } });
const receiver = new Receiver();
afterAll(() => receiver[Symbol.asyncDispose]());
const alice = await app.user("alice");
await alice.api.post("/orgs", { username: "forge", visibility: "private" });

const at = (path: string) => `${app.url}/api/packages/${path}`;
const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({
  authorization: `Basic ${btoa(`${name}:${token}`)}`,
});
const put = async (path: string, body = "x") =>
  expect((await fetch(at(path), { method: "PUT", body, headers: as(alice) })).status).toBe(201);

test("webhooks of the owner and of the linked repository hear of versions that come and go", async () => {
  const repository = await app.repository(alice, "tool");
  const hook = { type: "gitea", active: true, events: ["package"] };
  const bodies = (path: string) => receiver.received.filter((one) => one.path === path);
  for (const [owner, path] of [
    ["/orgs/forge", "/org"],
    ["/user", "/user"],
    ["/repos/alice/tool", "/repo"],
  ] as const) {
    const answer = await alice.api.post(`${owner}/hooks`, {
      ...hook,
      config: { url: receiver.url(path), content_type: "json" },
    });
    expect(answer.status).toBe(201);
  }
  await put("forge/generic/anvil/1.0/file");
  // A second file is no new version.
  await put("forge/generic/anvil/1.0/other");
  const { body: shown } = await alice.api.get("/packages/forge/generic/anvil/1.0");
  expect((await alice.api.delete("/packages/forge/generic/anvil/1.0")).status).toBe(204);
  await until("two deliveries have come", () => bodies("/org").length >= 2);
  const [created, deleted] = bodies("/org");
  expect(created?.headers["x-gitea-event"]).toBe("package");
  const told = { repository: null, organization: { login: "forge" }, sender: { login: "alice" } };
  expect(created?.body).toMatchObject({ action: "created", ...told });
  expect(deleted?.body).toMatchObject({ action: "deleted", ...told });
  const { owner, creator, ...version } = shown as Record<string, unknown>;
  for (const one of [created, deleted]) {
    expect(Object.keys(one?.body ?? {}).sort()).toEqual(["action", "organization", "package", "repository", "sender"]);
    expect(one?.body["package"]).toMatchObject({ ...version, owner: { login: "forge" }, creator: { login: "alice" } });
  }
  expect([owner, creator]).toMatchObject([{ login: "forge" }, { login: "alice" }]);

  await put("alice/generic/tongs/1.0/file");
  expect((await alice.api.post("/packages/alice/generic/tongs/-/link/tool")).status).toBe(201);
  await put("alice/generic/tongs/1.1/file");
  await until("the repository's webhook has heard", () => bodies("/repo").length >= 1 && bodies("/user").length >= 2);
  expect(bodies("/repo")).toHaveLength(1);
  const linked = { full_name: repository.full_name };
  expect(bodies("/repo")[0]?.body).toMatchObject({
    action: "created",
    repository: linked,
    package: { name: "tongs", version: "1.1", repository: linked },
    organization: null,
  });
  expect(bodies("/user").map(({ body }) => body["repository"] === null)).toEqual([true, false]);
});

test("chat services are told in words", async () => {
  const hook = {
    type: "slack",
    active: true,
    events: ["package"],
    config: { url: receiver.url("/slack"), content_type: "json", channel: "#x" },
  };
  expect(
    (await alice.api.post("/user/hooks", { ...hook, config: { ...hook.config, content_type: "json" } })).status,
  ).toBe(201);
  await put("alice/generic/bellows/1.0/file");
  await until("a message has come", () => receiver.received.some(({ path }) => path === "/slack"));
  const message = receiver.received.find(({ path }) => path === "/slack");
  expect(message?.body["text"]).toBe(
    `<${app.url}/alice/-/packages/generic/bellows/1.0|[alice] generic package bellows 1.0 created by alice>`,
  );
});

test("downloads are counted: whole files, once each, and neither HEAD nor the rest of a download", async () => {
  await put("alice/generic/nail/1.0/nail", "0123456789");
  const shown = async () => {
    const [one, { body }] = await Promise.all([
      alice.api.get<{ download_count: number }>("/packages/alice/generic/nail/1.0"),
      alice.api.get<{ name: string; download_count: number }[]>("/packages/alice?q=nail"),
    ]);
    return [one.body.download_count, body.find(({ name }) => name === "nail")?.download_count];
  };
  expect(await shown()).toEqual([0, 0]);
  const get = async (init: RequestInit = {}) =>
    (await fetch(at("alice/generic/nail/1.0/nail"), init)).headers.get("etag");
  const etags = await Promise.all(Array.from({ length: 20 }, () => get()));
  expect(await shown()).toEqual([20, 20]);
  await get({ headers: { range: "bytes=0-3" } });
  expect(await shown()).toEqual([21, 21]);
  await get({ method: "HEAD" });
  await get({ headers: { range: "bytes=4-" } });
  await get({ headers: { "if-none-match": etags[0] ?? "" } });
  await fetch(at("alice/generic/nail/1.0/nothing"));
  expect(await shown()).toEqual([21, 21]);
  // The count goes with its version.
  expect((await alice.api.delete("/packages/alice/generic/nail/1.0")).status).toBe(204);
  await put("alice/generic/nail/1.0/nail");
  expect(await shown()).toEqual([0, 0]);
});

test("what an owner uses is what a count finds, whichever door packages go by", async () => {
  const used = async () => {
    const { body } = await alice.api.get<{ used: { size: { assets: { packages: { all: number } } } } }>("/user/quota");
    return body.used.size.assets.packages.all;
  };
  const before = await used();
  await put("alice/generic/quota/1.0/a", "a".repeat(1000));
  await put("alice/generic/quota/1.0/b", "b".repeat(500));
  await put("alice/generic/quota/1.1/a", "c".repeat(200));
  expect(await used()).toBe(before + 1700);
  expect((await fetch(at("alice/generic/quota/1.0/b"), { method: "DELETE", headers: as(alice) })).status).toBe(204);
  expect((await alice.api.delete("/packages/alice/generic/quota/1.1")).status).toBe(204);
  expect(await used()).toBe(before + 1000);
  expect((await recountUsage(app.forge.database.db)).miscounts).toEqual([]);
});
