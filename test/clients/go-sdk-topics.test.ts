import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Topics, languages and pictures with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's topics");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK works with topics, languages and pictures",
  async () => {
    expect(await runGoSdk(app, "topics")).toEqual([
      "topics are given, taken and found",
      "languages are counted",
      "pictures are set and removed",
      "people and repositories are found",
    ]);
  },
  300_000,
);
