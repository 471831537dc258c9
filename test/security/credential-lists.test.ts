import { afterAll, expect, test } from "bun:test";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import type { ApiClient } from "../support/client.ts";
import { Receiver } from "../support/receiver.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { fill, listOperations } from "./operations.ts";

/**
 * Lists take the credential: every read that is not about one repository is asked with tokens that are limited, by somebody who has
 * private things of every kind. The names of these have a word in them that no answer may have.
 */

const app = await useTestApp({ outbound: { allowed_networks: ["127.0.0.1"] } });
const { sql } = app.forge.database;
const receiver = new Receiver();
afterAll(() => receiver[Symbol.asyncDispose]());
const keeper = await app.admin("keeper");
const visitor = await app.user("visitor");
const { api } = keeper;
await api.post("/orgs", { username: "forge" });
await api.post("/orgs", { username: "unknown-forge", visibility: "private" });

async function made<Body>(path: string, body: unknown): Promise<Body> {
  const answer = await api.post<Body>(path, body);
  expect({ path, status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
  return answer.body;
}

async function attach(path: string, name: string): Promise<void> {
  const body = new FormData();
  body.append("attachment", new File(["text"], name));
  const headers = { authorization: `token ${keeper.token}` };
  expect((await fetch(`${app.url}/api/v1${path}`, { method: "POST", headers, body })).status).toBe(201);
}

const hook = {
  type: "gitea",
  active: true,
  events: ["issues", "push"],
  config: { url: receiver.url(), content_type: "json" },
};
const hooks = {
  user: (await made<{ id: number }>("/user/hooks", hook)).id,
  org: (await made<{ id: number }>("/orgs/forge/hooks", hook)).id,
  admin: (await made<{ id: number }>("/admin/hooks", { ...hook, is_system_webhook: true })).id,
};
const open = await app.repository(keeper, "open", { auto_init: true });
for (const owner of ["keeper", "forge", "unknown-forge"]) {
  const name = "hush-repository";
  await made(owner === "keeper" ? "/user/repos" : `/orgs/${owner}/repos`, { name, private: true, auto_init: true });
  const at = `/repos/${owner}/${name}`;
  await api.put(`${at}/topics`, { topics: ["hush-topic"] });
  await api.put(`${at}/collaborators/visitor`, { permission: "write" });
  const issue = await made<{ number: number }>(`${at}/issues`, {
    title: "hush-issue",
    body: "hush",
    assignees: ["keeper"],
  });
  await attach(`${at}/issues/${issue.number}/assets`, "hush-of-issue.txt");
  const release = await made<{ id: number }>(`${at}/releases`, { tag_name: "hush-tag" });
  await attach(`${at}/releases/${release.id}/assets`, "hush-of-release.txt");
  await api.post(`${at}/issues/${issue.number}/times`, { time: 60 });
  await api.put(`/user/starred/${owner}/${name}`);
  await api.put(`${at}/subscription`);
  await visitor.api.post(`${at}/issues/${issue.number}/comments`, { body: "hush, @keeper" });
  if (owner === "keeper") {
    await api.post(`${at}/issues/${issue.number}/stopwatch/start`);
  }
  const package_ = await fetch(`${app.url}/api/packages/${owner}/generic/hush-package/1/file.txt`, {
    method: "PUT",
    headers: { authorization: `token ${keeper.token}` },
    body: "text",
  });
  expect(package_.status).toBe(201);
  expect((await api.post(`/packages/${owner}/generic/hush-package/-/link/${name}`)).status).toBe(201);
  await fetch(`${app.url}/api/v1${at}/actions/runs/1/artifacts?name=hush-artifact`, {
    method: "POST",
    headers: { authorization: `token ${keeper.token}`, "content-type": "application/octet-stream" },
    body: "text",
  });
}
const secondTeam = await made<{ id: number }>("/orgs/forge/teams", { name: "second", permission: "write" });
await api.put(`/teams/${secondTeam.id}/repos/forge/hush-repository`);
await api.put(`/teams/${secondTeam.id}/members/keeper`);
await waitUntilIdle(app.forge, 60_000);
const deliveries = new Map<string, number>();
for (const [path, id] of [
  ["/user/hooks", hooks.user],
  ["/orgs/forge/hooks", hooks.org],
  ["/admin/hooks", hooks.admin],
] as const) {
  const list = async () => (await api.get<{ id: number; event: string }[]>(`${path}/${id}/deliveries`)).body;
  await until("it was told", async () => (await list()).some(({ event }) => event === "issues"));
  deliveries.set(path, (await list()).find(({ event }) => event === "issues")?.id ?? 0);
}

const values: Record<string, string> = {
  username: "keeper",
  owner: "keeper",
  org: "forge",
  type: "generic",
  name: "hush-package",
  version: "1",
  target: "visitor",
};
const reads = listOperations().operations.filter(
  ({ method, path, kind }) => method === "GET" && !path.startsWith("/repos/{owner}/{repo}") && kind !== "tokens",
);

function pathsOf(operation: (typeof reads)[number]): string[] {
  const [, place = ""] = /^(.*\/hooks)\/\{id\}/.exec(operation.path) ?? [];
  const [, kind = ""] = /^\/(user|org|admin)/.exec(place) ?? [];
  const at = (more: Record<string, string>) => fill(operation, { ...values, ...more });
  if (kind !== "") {
    const filled = place.replace("{org}", "forge");
    return [at({ id: String(hooks[kind as keyof typeof hooks]), delivery_id: String(deliveries.get(filled)) })];
  }
  return operation.path.startsWith("/teams/{id}")
    ? [at({ id: String(secondTeam.id) })]
    : operation.path.startsWith("/packages/{owner}")
      ? [at({}), at({ owner: "forge" })]
      : [at({})];
}

/** Asks everything, and tells where private things are named. */
async function named(
  client: ApiClient,
  { word = /hush/, isAsked = () => true }: { word?: RegExp; isAsked?: (path: string) => boolean } = {},
): Promise<string[]> {
  const found: string[] = [];
  for (const operation of reads) {
    for (const path of pathsOf(operation).filter(isAsked)) {
      const response = await client.fetch("GET", path);
      const text = await response.text();
      // What was asked for by its name is named in the answer that it is not there.
      if (response.status < 400 && word.test(text)) {
        found.push(path);
      }
      expect(response.status).toBeLessThan(500);
    }
  }
  return found;
}

test("the owner's whole token is shown all this, so that its absence means something", async () => {
  const found = await named(app.withToken(await app.token(keeper, ["all"])));
  for (const path of [
    "/user/quota/attachments",
    "/user/quota/packages",
    "/user/stopwatches",
    "/user/times",
    "/notifications",
  ]) {
    expect(found).toContain(path);
  }
  expect(found.length).toBeGreaterThan(25);
});

test("a token for public things is shown nothing of it", async () => {
  const client = app.withToken(await app.token(keeper, ["all", "public-only"]));
  expect(await named(client, { word: /hush|unknown-forge/ })).toEqual([]);
});

test("a token for one repository is shown nothing of others, but which organizations there are", async () => {
  const client = app.withToken(await app.token(keeper, ["all"]));
  await sql`update access_token set restricted = true where id = (select max(id) from access_token)`;
  await sql`insert into access_token_repository (token_id, repository_id) select max(access_token.id), ${open.id} from access_token`;
  expect(await named(client)).toEqual([]);
});

test("a token of one scope is shown no files of what it does not read", async () => {
  const isAsked = (path: string) => path.includes("/quota") || path.includes("/deliveries/");
  for (const scope of ["user", "organization", "admin", "notification"]) {
    const client = await app.scoped(keeper, `read:${scope}`);
    expect({ scope, found: await named(client, { isAsked }) }).toEqual({ scope, found: [] });
  }
  const issues = await app.scoped(keeper, "read:user", "read:issue");
  const { body } = await issues.get<{ name: string }[]>("/user/quota/attachments");
  expect(body.map(({ name }) => name)).toEqual(["hush-of-issue.txt"]);
});
