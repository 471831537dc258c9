import { afterAll } from "bun:test";
import { stopTestCluster } from "./cluster.ts";
import { leanNumbers } from "./full-number.ts";

const forTests = new Set(["STITHY_HISTORIES", "STITHY_SEED", ...Object.keys(leanNumbers)]);

// Loaded before every test file. Tests never read the caller's configuration.
for (const name of Object.keys(process.env)) {
  if ((name.startsWith("STITHY_") && !forTests.has(name)) || name === "DATABASE_URL") {
    delete process.env[name];
  }
}

// Outside every file, so after the last of them.
afterAll(stopTestCluster);
