import { beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { errorResponse } from "../src/api/common/errors.ts";
import { explainFailure } from "../src/cli/explain-failure.ts";
import { Addresses } from "../src/domain/spine/addresses.ts";
import type { Forge } from "../src/domain/spine/forge.ts";
import { gitErrorResponse } from "../src/githttp/refusals.ts";
import { lfsErrorResponse } from "../src/lfs/refusals.ts";
import { StithyError, errorKinds, type ErrorKind } from "../src/lib/errors.ts";
import { registryErrorResponse } from "../src/registries/shared/refusals.ts";
import { explain } from "../src/ssh/run-command.ts";
import { errorPage } from "../src/web/errors.ts";
import { endpointFor } from "../src/web/oauth/answer.ts";

/** Every surface has an answer to every kind of error; only faults are hidden and logged. */

let logged = 0;
const log = { error: () => logged++, warn: () => logged++ };
const forge = {
  log,
  addresses: new Addresses("https://forge.example"),
  config: { api: { cors_origins: [] }, oauth: { enabled: true, default_applications: ["tea"] } },
} as unknown as Forge;
const request = new Request("https://forge.example/alice/site");
const never = new AbortController().signal;
const sentence = "The anvil cannot be lifted";

beforeEach(() => {
  logged = 0;
});

async function told(response: Response): Promise<[number, boolean]> {
  return [response.status, (await response.text()).includes(sentence)];
}

/** Each answers the status (or exit code), and whether it says what happened. */
const surfaces: Record<string, (error: unknown) => Promise<[number, boolean]>> = {
  api: (error) => told(errorResponse(forge, request, error)),
  async pages(error) {
    const { status, body } = errorPage(forge, request, error);
    return [status ?? 0, body.text.includes(sentence)];
  },
  git: (error) => told(gitErrorResponse(forge, request, error)),
  lfs: (error) => told(lfsErrorResponse(forge, request, error)),
  registries: (error) => told(registryErrorResponse(forge, request, error)),
  async oauth(error) {
    const failing = async () => {
      throw error;
    };
    return told(await endpointFor(forge, failing)(request));
  },
  async ssh(error) {
    return [0, explain(forge, error, { signal: never })?.includes(sentence) ?? false];
  },
  async cli(error) {
    const { message, exitCode } = explainFailure(error);
    return [exitCode, message.includes(sentence)];
  },
};

const http = ["api", "pages", "git", "lfs"];
const expected: Record<ErrorKind, { http: number; oauth: number; cli: number; ssh: boolean }> = {
  absent: { http: 404, oauth: 400, cli: 1, ssh: true },
  unauthenticated: { http: 401, oauth: 401, cli: 1, ssh: true },
  forbidden: { http: 403, oauth: 400, cli: 1, ssh: true },
  invalid: { http: 422, oauth: 400, cli: 2, ssh: true },
  malformed: { http: 400, oauth: 400, cli: 1, ssh: true },
  conflict: { http: 409, oauth: 400, cli: 1, ssh: true },
  "too-large": { http: 413, oauth: 413, cli: 1, ssh: true },
  "too-many": { http: 429, oauth: 429, cli: 1, ssh: true },
  "too-slow": { http: 408, oauth: 408, cli: 1, ssh: true },
  busy: { http: 503, oauth: 503, cli: 1, ssh: true },
  full: { http: 507, oauth: 503, cli: 1, ssh: true },
  cancelled: { http: 408, oauth: 408, cli: 1, ssh: false },
  fault: { http: 500, oauth: 500, cli: 1, ssh: false },
};

describe.each([...errorKinds])("an error of the kind %s", (kind) => {
  const error = new StithyError(kind, "no-such-code", sentence);

  test.each(http)("has its status on the surface %s", async (surface) => {
    expect(await surfaces[surface]?.(error)).toEqual([expected[kind].http, kind !== "fault"]);
    expect(logged).toBe(kind === "fault" ? 1 : 0);
  });

  test("has its status on the surface registries, where clients send another credential only when they are asked for one", async () => {
    const { http: status } = expected[kind];
    const answered = { 403: 401, 422: 400 }[status] ?? status;
    expect(await surfaces["registries"]?.(error)).toEqual([answered, kind !== "fault"]);
    expect(logged).toBe(kind === "fault" ? 1 : 0);
  });

  test("has its answer for applications, on the command line and over SSH", async () => {
    expect(await surfaces["oauth"]?.(error)).toEqual([expected[kind].oauth, kind !== "fault"]);
    expect(await surfaces["cli"]?.(error)).toEqual([expected[kind].cli, true]);
    expect(await surfaces["ssh"]?.(error)).toEqual([0, expected[kind].ssh]);
    expect(logged).toBe(kind === "fault" ? 2 : 0);
  });
});

test("a code has one kind wherever it is thrown", () => {
  const kinds = new Map<string, Set<string>>();
  for (const file of new Glob("src/**/*.ts").scanSync(join(import.meta.dir, ".."))) {
    const text = readFileSync(join(import.meta.dir, "..", file), "utf8");
    for (const [, kind = "", code = ""] of text.matchAll(/(?:super|new StithyError)\(\s*"([a-z-]+)",\s*"([a-z-]+)"/g)) {
      kinds.set(code, (kinds.get(code) ?? new Set()).add(kind));
    }
  }
  expect(kinds.size).toBeGreaterThan(70);
  expect([...kinds].filter(([, found]) => found.size > 1)).toEqual([]);
});
