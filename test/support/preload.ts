import { afterAll } from "bun:test";
import { file, plugin } from "bun";
import { threadsVariable, useBundledThreads } from "./bundled-threads.ts";
import { closeTestDatabases } from "./cluster.ts";
import { testLimitMs } from "./limits.ts";
// Before the plugin below: Bun runs no macro (`type: "macro"`) after one is there.
import "../../src/domain/repos/gitignores.ts";
// Keeps the numbers that are meant for tests.
import "./full-number.ts";

// Loaded before every test file. Tests never read the caller's configuration.
for (const name of Object.keys(process.env)) {
  if ((name.startsWith("STITHY_") && name !== "STITHY_HISTORIES") || name === "DATABASE_URL") {
    delete process.env[name];
  }
}

// The runner's `--no-orphans` is for this process. Servers that tests start and kill must die as they do elsewhere.
delete process.env["BUN_FEATURE_FLAG_NO_ORPHANS"];

/*
 * Gives every file the time limit of `bun run test`, also where `bun test FILE` runs it: Bun's own of five seconds is set
 * anew at the begin of each file, and neither bunfig.toml nor a preloaded module can set another one for all.
 */
plugin({
  name: "time limit",
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => ({
      // On the file's first line, so that the others keep their numbers. A file that sets a limit does so after it.
      contents: `import { setDefaultTimeout as limitTests } from "bun:test"; limitTests(${testLimitMs}); ${await file(path).text()}`,
      loader: "ts",
    }));
  },
});

const threads = process.env[threadsVariable];
if (threads !== undefined) {
  await useBundledThreads(threads);
}

// After the last file of a process.
afterAll(closeTestDatabases, testLimitMs);
