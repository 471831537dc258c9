import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.repository(alice, "tool", { private: true });

const ask = async (path: string, method = "GET") => {
  const answer = await fetch(`${app.url}${path}`, { method });
  return { status: answer.status, meta: /<meta name="go-import" content="([^"]*)">/.exec(await answer.text())?.[1] };
};

test("an import path leads to its repository, whether there is one or not", async () => {
  for (const repository of ["tool", "missing"]) {
    const meta = `127.0.0.1/alice/${repository} git ${app.url}/alice/${repository}.git`;
    expect(await ask(`/alice/${repository}?go-get=1`)).toEqual({ status: 200, meta });
    expect(await ask(`/alice/${repository}/deep/package?go-get=1`)).toEqual({ status: 200, meta });
  }
  expect((await ask("/alice/tool?go-get=1", "HEAD")).status).toBe(200);
});

test.each(["/alice/tool", "/alice/tool?go-get=0", "/alice?go-get=1", "/?go-get=1", "/alice/%22%3E?go-get=1"])(
  "%s is an address as any other",
  async (path) => {
    expect((await ask(path)).meta).toBeUndefined();
  },
);

test("the API answers as ever", async () => {
  expect((await fetch(`${app.url}/api/v1/version?go-get=1`)).headers.get("content-type")).toContain("json");
});
