import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Merges with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's merges");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK merges and updates pull requests",
  async () => {
    expect(await runGoSdk(app, "merges")).toEqual([
      "pull requests are merged in every style",
      "merges wait for checks, and are cancelled",
      "a pull request is updated",
    ]);
  },
  300_000,
);
