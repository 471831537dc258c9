import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** Short requests that ask for much work: each is refused, or takes no more than others. */

const app = await useTestApp();
const root = await app.admin("root");
await app.repository(root, "site", { auto_init: true });
await app.organization("forge", root);

test.each(["/repos/search", "/users/search", "/orgs/forge/teams/search", "/admin/emails/search"])(
  "%s takes 255 characters to search for",
  async (path) => {
    expect((await root.api.get(`${path}?q=${"ä".repeat(255)}`)).status).toBe(200);
    const { status, body } = await root.api.get<{ message: string }>(`${path}?q=${"a".repeat(12_000)}`);
    expect(status).toBe(422);
    expect(body.message).toStartWith("q must be valid: expected string length less or equal to 255, not ");
  },
);

test("a hundred names may be excluded from a history", async () => {
  const { status, body } = await root.api.get<{ message: string }>(
    `/repos/root/site/commits?not=${Array.from({ length: 101 }, (_, name) => `b${name}`).join()}`,
  );
  expect({ status, message: body.message }).toEqual({
    status: 422,
    message: "not must name at most 100 branches, tags or commits, not 101",
  });
  expect((await root.api.get(`/repos/root/site/commits?not=${"main,".repeat(500)}`)).status).toBe(200);
});

test("a comparison of a thousand dots is nothing", async () => {
  expect((await root.api.get(`/repos/root/site/compare/${"a..".repeat(1000)}`)).status).toBe(404);
  await root.api.post("/repos/root/site/branches", { new_branch_name: "v1.0" });
  expect((await root.api.get("/repos/root/site/compare/v1.0...main")).status).toBe(200);
  expect((await root.api.get("/repos/root/site/compare/v1.0..main")).status).toBe(200);
});

test("a batch of LFS with many adapters is refused", async () => {
  const headers = { accept: "application/vnd.git-lfs+json", authorization: `token ${root.token}` };
  const body = JSON.stringify({
    operation: "download",
    objects: [],
    transfers: Array.from({ length: 50_000 }, () => "x"),
  });
  const answer = await fetch(`${app.url}/root/site.git/info/lfs/objects/batch`, { method: "POST", headers, body });
  expect({ status: answer.status, message: ((await answer.json()) as { message: string }).message }).toEqual({
    status: 422,
    message: "The body cannot be used: it does not fit",
  });
});
