import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Templates, transfers and old addresses of repositories with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's life of a repository");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK makes repositories of templates, gives them away and finds them again",
  async () => {
    expect(await runGoSdk(app, "life")).toEqual([
      "repositories are made from templates",
      "repositories are offered, refused and accepted",
      "repositories go to organizations with their teams",
      "old addresses lead to repositories as long as they are there",
    ]);
  },
  300_000,
);
