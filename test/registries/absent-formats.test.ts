import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** Clients of formats that have no registry here are told so in their own form, with the formats that there are. */

const app = await useTestApp();
const alice = await app.user("alice");
const formats = "alpine, cran, debian, generic, go and rpm";

async function ask(path: string, init: RequestInit = {}) {
  const answer = await fetch(app.url + path, { redirect: "manual", ...init });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}

const json = "application/json";
const plain = "text/plain; charset=utf-8";
const none = (format: string) => `There is no registry of the format "${format}" here: the formats are ${formats}`;

test.each([
  // What the clients ask for first: npm install, npm publish, cargo, pip, twine, mvn, composer.
  ["GET", "/api/packages/alice/npm/left-pad", json, JSON.stringify({ error: none("npm") })],
  ["PUT", "/api/packages/alice/npm/@alice%2Ftool", json, JSON.stringify({ error: none("npm") })],
  ["GET", "/api/packages/alice/cargo/config.json", json, JSON.stringify({ errors: [{ detail: none("cargo") }] })],
  ["GET", "/api/packages/alice/pypi/simple/requests/", plain, `${none("pypi")}\n`],
  ["POST", "/api/packages/alice/pypi", plain, `${none("pypi")}\n`],
  ["GET", "/api/packages/alice/maven/com/example/tool/maven-metadata.xml", plain, `${none("maven")}\n`],
  ["GET", "/api/packages/alice/no such <format>", plain, `${none("no such <format>")}\n`],
])("%s %s", async (method, path, type, text) => {
  for (const headers of [{}, { authorization: `Basic ${btoa(`alice:${alice.token}`)}` }] as Record<string, string>[]) {
    const body = method === "GET" ? {} : { body: "x" };
    expect(await ask(path, { method, headers, ...body })).toEqual({ status: 404, type, text });
  }
});

test("a path that a registry does not have stays one of its own", async () => {
  const { status, type } = await ask("/api/packages/alice/debian/nothing");
  expect([status, type]).toEqual([404, plain]);
});

test.each(["/v2/", "/v2", "/v2/alice/tool/manifests/latest", "/v2/_catalog"])("docker at %s", async (path) => {
  const message = `There is no registry of containers here: the formats are ${formats}`;
  const text = JSON.stringify({ errors: [{ code: "UNSUPPORTED", message, detail: null }] });
  for (const method of ["GET", "POST"]) {
    expect(await ask(path, { method })).toEqual({ status: 404, type: json, text });
  }
  expect(await ask(path, { method: "HEAD" })).toEqual({ status: 404, type: json, text: "" });
});
