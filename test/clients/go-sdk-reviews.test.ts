import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Reviews of pull requests with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's reviews");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK asks for reviews, and works with them",
  async () => {
    expect(await runGoSdk(app, "reviews")).toEqual([
      "reviews are asked for",
      "reviews are begun and submitted",
      "comments are replied to, resolved and opened again",
      "reviews are dismissed and deleted",
    ]);
  },
  300_000,
);
