import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();

test("anybody may ask for the version", async () => {
  const { status, body } = await app.anonymous.get<{ version: string }>("/version");
  expect(status).toBe(200);
  expect(body.version).toMatch(/^1\.26\.0\+stithy-\d+\.\d+\.\d+/);
});
