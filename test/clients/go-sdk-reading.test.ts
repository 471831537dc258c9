import { expect, test } from "bun:test";
import { findGo } from "../support/find-go.ts";
import { runGoSdk } from "../support/go-sdk.ts";
import { useTestApp } from "../support/test-app.ts";

/** Reading files, Markdown and what the server is with the Go SDK of the family, through the small program in go/. */

const hasGo = findGo("the Go SDK's reading");

const app = await useTestApp();
await app.admin("root-of-all");

test.if(hasGo)(
  "the Go SDK reads files, Markdown and what the server is, and blocks users",
  async () => {
    expect(await runGoSdk(app, "reading")).toEqual([
      "files are described",
      "editors and licenses are told",
      "Markdown is rendered",
      "the server tells what it is",
      "users are blocked",
    ]);
  },
  300_000,
);
