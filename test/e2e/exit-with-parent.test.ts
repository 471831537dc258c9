import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, commandLine, runStithy } from "../support/stithy.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
afterAll(() => directory[Symbol.dispose]());

/** Starts the command that it is given, as a test runner does, and waits. */
const runner = `
  const [, ...command] = process.argv;
  Bun.spawn(command, { stdin: "ignore", stdout: "inherit", stderr: "ignore" });
  setInterval(() => {}, 60_000);
`;

test("an ephemeral server ends with a runner that is killed, and leaves nothing behind", async () => {
  const command = [...commandLine, "serve", "--ephemeral", "--exit-with-parent", "--port", "0"];
  const parent = Bun.spawn([process.execPath, "-e", runner, ...command], {
    env: { ...process.env, TMPDIR: directory.path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await parent.stdout.getReader().read();
  const { pid, ready } = JSON.parse(new TextDecoder().decode(value)) as { pid: number; ready: boolean };
  expect(ready).toBe(true);
  process.kill(pid, 0);
  parent.kill("SIGKILL");
  await parent.exited;
  await until("the server has ended", () => !existsSync(`/proc/${pid}`), 60_000);
  expect(readdirSync(directory.path).filter((name) => name.startsWith("stithy-ephemeral-"))).toEqual([]);
});

test("a server that keeps its data does not take the option", async () => {
  const { code, stderr } = await runStithy(["serve", "--exit-with-parent", "--data", directory.join("data")]);
  expect([code, stderr]).toEqual([2, "stithy: --exit-with-parent is only for --ephemeral\n"]);
});
