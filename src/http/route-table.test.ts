import { expect, test } from "bun:test";
import { RouteTable } from "./route-table.ts";

const answers = new Map<unknown, string>();

function route(declared: string) {
  const [method = "", path = ""] = declared.split(" ");
  const handler = () => new Response();
  answers.set(handler, declared);
  return { method, path, handler };
}

const table = new RouteTable(
  ["GET /", "GET /repos/search", "GET /repos/:owner/:repo", "PATCH /repos/:owner/:repo", "GET /repos/:owner/:repo/raw/*", "GET /repos/:owner/:repo/raw/:special/x", "GET /repos/:a/:b/tags/:tag"].map(route),
);

function find(method: string, path: string) {
  const found = table.find(method, path);
  return found === null ? null : [answers.get(found.handler), { ...found.params }];
}

test("fixed segments win over parameters, these over the rest", () => {
  expect(find("GET", "/repos/search")).toEqual(["GET /repos/search", {}]);
  expect(find("GET", "/repos/search/x")).toEqual(["GET /repos/:owner/:repo", { owner: "search", repo: "x" }]);
  expect(find("GET", "/repos/a/b/raw/c/x")).toEqual(["GET /repos/:owner/:repo/raw/:special/x", { owner: "a", repo: "b", special: "c" }]);
  expect(find("GET", "/repos/a/b/raw/c/y")).toEqual(["GET /repos/:owner/:repo/raw/*", { owner: "a", repo: "b", "*": "c/y" }]);
});

test("each route has its own names for what it shares with others", () => {
  expect(find("GET", "/repos/x/y/tags/v1")).toEqual(["GET /repos/:a/:b/tags/:tag", { a: "x", b: "y", tag: "v1" }]);
});

test("segments are decoded after they were divided, and a broken one is null", () => {
  expect(find("GET", "/repos/a%2Fb/c%20d")).toEqual(["GET /repos/:owner/:repo", { owner: "a/b", repo: "c d" }]);
  expect(find("GET", "/repos/a/%zz")).toEqual(["GET /repos/:owner/:repo", { owner: "a", repo: null }]);
  expect(find("GET", "/repos/a/b/raw/c%2Fd/e%20f")).toEqual(["GET /repos/:owner/:repo/raw/*", { owner: "a", repo: "b", "*": "c/d/e f" }]);
});

test("what leads nowhere is null", () => {
  for (const [method, path] of [["GET", "/repos"], ["GET", "/repos/a/"], ["GET", "/repos//b"], ["PUT", "/repos/a/b"], ["PATCH", "/repos/search"], ["GET", "/repos/a/b/c"], ["GET", "/__proto__"]] as const) {
    expect(find(method, path)).toBeNull();
  }
  expect(find("GET", "/")).toEqual(["GET /", {}]);
});
