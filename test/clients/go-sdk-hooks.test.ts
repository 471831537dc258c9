import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Webhooks with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's webhooks");

const app = await useTestApp({ outbound: { allowed_networks: ["127.0.0.1"] } });
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK makes, changes and deletes webhooks, and verifies what they are told",
  async () => {
    expect(await runGoSdk(app, "hooks")).toEqual([
      "webhooks of a repository are made, changed and deleted",
      "webhooks of an organization, of oneself and of the server",
      "a delivery has a signature that the SDK verifies",
      "there are no scripts",
    ]);
  },
  300_000,
);
