import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Pages of a wiki with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's wiki");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK works with the pages of a wiki",
  async () => {
    expect(await runGoSdk(app, "wiki")).toEqual([
      "pages are created",
      "pages are listed and read",
      "pages are edited and renamed",
      "pages are deleted",
    ]);
  },
  300_000,
);
