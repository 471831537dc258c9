import { describe, expect, test } from "bun:test";
import { checkAnswer, type ObservedAnswer } from "../support/check-answer.ts";

/** The check that every answer in a test passes: what it lets through, and what not. */

const error = { message: "There is no such thing", url: "http://forge.example/api/swagger" };
const entry = {
  name: "a",
  path: "a",
  sha: "0".repeat(40),
  last_commit_sha: "0".repeat(40),
  last_commit_when: "2026-01-02T03:04:05Z",
  type: "file",
  size: 0,
  encoding: null,
  content: null,
  target: null,
  url: null,
  html_url: null,
  git_url: null,
  download_url: null,
  submodule_git_url: null,
  _links: null,
};

function faultOf(
  method: string,
  path: string,
  status: number,
  body: unknown,
  more: Partial<ObservedAnswer> = {},
): string | null {
  const contentType = body === null ? null : "application/json;charset=utf-8";
  try {
    checkAnswer({
      method,
      url: `http://forge.example/api/v1${path}`,
      status,
      sudo: false,
      conditional: false,
      contentType,
      body,
      ...more,
    });
    return null;
  } catch (fault) {
    return String(fault);
  }
}

describe("passes", () => {
  test.each<[string, string | null]>([
    ["what is declared", faultOf("GET", "/version", 200, { version: "1.0.0" })],
    ["a declared failure", faultOf("GET", "/users/nobody/", 404, error)],
    ["an answer without a body", faultOf("DELETE", "/repos/alice/site/tags/v1", 204, null)],
    ["a name over several segments", faultOf("DELETE", "/repos/alice/site/tags/v1/rc/2", 404, error)],
    [
      "a file and a directory",
      faultOf("GET", "/repos/alice/site/contents/a", 200, entry) ??
        faultOf("GET", "/repos/alice/site/contents/a/b/c", 200, [entry]),
    ],
    [
      "what any request can meet",
      faultOf("GET", "/version", 401, error) ??
        faultOf("GET", "/version", 429, error) ??
        faultOf("GET", "/version", 503, error),
    ],
    ["an unknown user of Sudo", faultOf("GET", "/user", 404, error, { sudo: true })],
    ["304 for who asked", faultOf("GET", "/version", 304, null, { conditional: true })],
    [
      "addresses of no operation",
      faultOf("GET", "/nothing/here", 404, "Nothing") ?? faultOf("PUT", "/version", 405, error),
    ],
  ])("%s", (_, fault) => {
    expect(fault).toBeNull();
  });
});

describe("names the operation, the status and the fault of", () => {
  test.each<[string, string | null, string]>([
    [
      "an undeclared status",
      faultOf("GET", "/version", 418, error),
      "GET /api/v1/version (getVersion) answered 418, which it does not declare",
    ],
    ["a fault of the server", faultOf("GET", "/version", 500, error), "answered 500, which it does not declare"],
    ["an undeclared 404", faultOf("GET", "/user", 404, error), "(userGetCurrent) answered 404"],
    ["a field that is missing", faultOf("GET", "/version", 200, {}), "must have required properties version"],
    ["a field of another type", faultOf("GET", "/version", 200, { version: 1 }), "/version must be string"],
    [
      "a field that is not declared",
      faultOf("GET", "/version", 200, { version: "1", secret: 1 }),
      "must not have additional properties",
    ],
    [
      "one deep inside",
      faultOf("GET", "/repos/a/b/contents/a/b", 200, [{ ...entry, _links: { self: 1, git: null, html: null } }]),
      "/0/_links",
    ],
    [
      "a time that is none",
      faultOf("GET", "/repos/a/b/contents/a", 200, { ...entry, last_commit_when: "yesterday" }),
      "date-time",
    ],
    [
      "a body where none is declared",
      faultOf("DELETE", "/repos/alice/site", 204, { ok: true }),
      "for which it declares no body",
    ],
    [
      "another media type",
      faultOf("GET", "/version", 200, "1.0.0", { contentType: "text/plain" }),
      "not JSON but text/plain",
    ],
    ["304 for who did not ask", faultOf("GET", "/version", 304, null), "which was not asked for"],
  ])("%s", (_, fault, expected) => {
    expect(fault).toContain(expected);
  });
});
