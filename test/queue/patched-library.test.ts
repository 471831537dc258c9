import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

test("the library runs no configuration that lies in the working directory", () => {
  const directory = mkdtempSync(join(tmpdir(), "stithy-queue-"));
  try {
    const trace = join(directory, "it-ran");
    const code = `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "")\nmodule.exports = {};\n`;
    for (const name of [".graphile-workerrc.js", ".graphile-workerrc.cjs", "graphile-worker.config.js"]) {
      writeFileSync(join(directory, name), code);
    }
    const library = Bun.resolveSync("graphile-worker", import.meta.dir);
    const run = Bun.spawnSync([process.execPath, "-e", `await import(${JSON.stringify(library)})`], { cwd: directory });
    expect([run.exitCode, run.stderr.toString(), existsSync(trace)]).toEqual([0, "", false]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
