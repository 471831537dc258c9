import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { pythonClient } from "../support/installed-clients.ts";
import { useTestApp } from "../support/test-app.ts";
import { missingPrograms, runProgram, ScratchDirectory } from "../registries/shared/run-program.ts";

/** py-gitea and pyforgejo, through the programs in python/: each line is a step that went well. */

setDefaultTimeout(300_000);

const isMissing = missingPrograms("clients in Python", ["python3", "pip3"]);
const app = await useTestApp();
const root = await app.admin("root-of-all");

async function drive(program: string, ...packages: string[]): Promise<string[]> {
  using scratch = new ScratchDirectory();
  const env = {
    PYTHONPATH: await pythonClient(...packages),
    PYTHONDONTWRITEBYTECODE: "1",
    HOME: scratch.path,
    FORGE: app.url,
    TOKEN: root.token,
  };
  const script = join(import.meta.dir, "python", program);
  return (await runProgram(["python3", script], { cwd: scratch.path, env })).trim().split("\n");
}

describe.skipIf(isMissing)("clients in Python", () => {
  test("py-gitea", async () => {
    expect(await drive("py_gitea.py", "py-gitea==0.2.10")).toEqual([
      "user smith smith",
      "organization guild",
      "repository guild/site",
      "branches master next",
      "file text",
      "issue First 20",
      "commits 2",
      "team smiths smith",
      "gone",
    ]);
  });

  test("pyforgejo", async () => {
    expect(await drive("pyforgejo_client.py", "pyforgejo==2.0.7")).toEqual([
      "user root-of-all",
      "repository root-of-all/tour",
      "issue 1 open",
      "status success",
      "statuses success",
      "labels 2 1",
    ]);
  });
});
