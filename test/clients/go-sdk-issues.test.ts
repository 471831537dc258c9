import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Issues, labels, milestones, comments, time and pins with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's issues");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK works with issues and what is around them",
  async () => {
    expect(await runGoSdk(app, "issues")).toEqual([
      "labels and milestones are made and changed",
      "issues are opened, found, changed and locked",
      "labels are put on issues and taken away",
      "comments and reactions come and go",
      "time is tracked and measured",
      "issues are pinned, subscribed to and deleted",
    ]);
  },
  300_000,
);
