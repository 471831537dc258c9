import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Forks with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's forks");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK forks repositories and brings forks up to date",
  async () => {
    expect(await runGoSdk(app, "forks")).toEqual([
      "repositories are forked, and forks are listed",
      "forks are brought up to date",
      "forks follow their parent, and outlive it",
    ]);
  },
  300_000,
);
