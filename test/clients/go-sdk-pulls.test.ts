import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Pull requests with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's pull requests");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK opens, changes and reads pull requests",
  async () => {
    expect(await runGoSdk(app, "pulls")).toEqual([
      "pull requests are opened and edited",
      "pull requests are read, with files, commits and patches",
      "merged ones are found by their commit",
    ]);
  },
  300_000,
);
