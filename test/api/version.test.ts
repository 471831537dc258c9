import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();

test("anybody may ask for the version", async () => {
  const { status, body } = await app.anonymous.get<{ version: string }>("/version");
  expect(status).toBe(200);
  expect(body.version).toMatch(/^1\.26\.0\+stithy-\d+\.\d+\.\d+/);
});

test("the page that describes the API is found from within it, by anybody", async () => {
  const response = await fetch(`${app.url}/api/v1/swagger`, { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([302, `${app.url}/api/swagger`]);
  expect((await fetch(`${app.url}/api/v1/swagger`)).headers.get("content-type")).toContain("text/html");
});
