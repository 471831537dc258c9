import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Releases and their files with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's releases");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK works with releases and their files",
  async () => {
    expect(await runGoSdk(app, "releases")).toEqual([
      "releases are created",
      "releases are listed and found",
      "a draft is published",
      "files are sent, fetched, renamed and deleted",
      "releases are deleted, and their tags stay",
    ]);
  },
  300_000,
);
