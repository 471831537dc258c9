import { afterAll, expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** Statuses of commits and the server's signing key with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's statuses");

const key = new SshKeyPair();
const app = await useTestApp({ git: { signing_key: key.path } });
await app.admin("root-of-all");
afterAll(() => key[Symbol.dispose]());

test.if(hasGo)(
  "the Go SDK works with statuses and the signing key",
  async () => {
    expect(await runGoSdk(app, "statuses")).toEqual([
      "statuses are created",
      "statuses are listed and combined",
      "the server's key verifies its commits",
    ]);
  },
  300_000,
);
