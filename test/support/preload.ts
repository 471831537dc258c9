import { afterAll } from "bun:test";
import { threadsVariable, useBundledThreads } from "./bundled-threads.ts";
import { closeTestDatabases } from "./cluster.ts";
// Keeps the numbers that are meant for tests.
import "./full-number.ts";

// Loaded before every test file. Tests never read the caller's configuration.
for (const name of Object.keys(process.env)) {
  if ((name.startsWith("STITHY_") && name !== "STITHY_HISTORIES") || name === "DATABASE_URL") {
    delete process.env[name];
  }
}

const threads = process.env[threadsVariable];
if (threads !== undefined) {
  await useBundledThreads(threads);
}

// After the last file of a process.
afterAll(closeTestDatabases);
