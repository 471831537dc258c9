import { describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();

interface Failure {
  message: string;
}

test("GET /gitignore/templates names the templates, and each has its text", async () => {
  const { status, body } = await app.anonymous.get<string[]>("/gitignore/templates");
  expect(status).toBe(200);
  expect(body.length).toBeGreaterThan(150);
  expect(body).toContain("Go");
  expect(body).toContain("Node");
  expect(body).toEqual(body.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
  const one = await app.anonymous.get<{ name: string; source: string }>("/gitignore/templates/node");
  expect({ status: one.status, name: one.body.name }).toEqual({ status: 200, name: "Node" });
  expect(one.body.source).toContain("node_modules/");
  expect((await app.anonymous.get<{ name: string }>("/gitignore/templates/C%2B%2B")).body.name).toBe("C++");
});

test("GET /licenses lists the licenses, and each has its text", async () => {
  const { status, body } = await app.anonymous.get<{ key: string }[]>("/licenses");
  expect(status).toBe(200);
  expect(redact(body.find(({ key }) => key === "MIT"))).toEqual({
    key: "MIT",
    name: "MIT License",
    url: "<url>/api/v1/licenses/MIT",
  });
  const one = await app.anonymous.get<{ key: string; body: string; implementation: string }>("/licenses/apache-2.0");
  expect({ status: one.status, key: one.body.key }).toEqual({ status: 200, key: "Apache-2.0" });
  expect(one.body.body).toContain("Apache License");
  expect(one.body.implementation).not.toBe("");
});

test.each([
  "/gitignore/templates/Cobol-85",
  "/gitignore/templates/..%2F..%2Fetc%2Fpasswd",
  "/gitignore/templates/constructor",
  "/licenses/none",
  "/licenses/__proto__",
])("%s is 404", async (path) => {
  const { status, body } = await app.anonymous.get<Failure>(path);
  expect(status).toBe(404);
  expect(body.message).toStartWith("There is no ");
});

describe("label templates", () => {
  test("are listed, and anybody may see the labels of each", async () => {
    expect((await app.anonymous.get("/label/templates")).body).toEqual(["Advanced", "Default"]);
    const { status, body } =
      await app.anonymous.get<{ name: string; color: string; exclusive: boolean }[]>("/label/templates/Default");
    expect(status).toBe(200);
    expect(body[0]).toEqual({
      name: "bug",
      color: "ee0701",
      description: "Something does not work",
      exclusive: false,
    } as never);
    const advanced = (await app.anonymous.get<typeof body>("/label/templates/Advanced")).body;
    for (const { name, color } of [...body, ...advanced]) {
      expect([name, color]).toEqual([name, expect.stringMatching(/^[0-9a-f]{6}$/)]);
    }
    expect(new Set(advanced.map(({ name }) => name)).size).toBe(advanced.length);
    expect(advanced.filter(({ exclusive }) => exclusive).every(({ name }) => name.includes("/"))).toBe(true);
  });

  test("one that is not there is 404", async () => {
    const { status, body } = await app.anonymous.get<{ message: string }>("/label/templates/none");
    expect([status, body.message]).toEqual([404, 'There is no set of labels "none"']);
  });
});
