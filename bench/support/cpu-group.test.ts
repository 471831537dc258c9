import { expect, test } from "bun:test";
import { openCpuGroup } from "./cpu-group.ts";
import { processClock } from "./process-clock.ts";

/** A program that uses 50 ms of a processor. */
const burn = `
  const before = process.cpuUsage().user;
  while (process.cpuUsage().user - before < 50_000);
`;

test("the clock of a process tells what getrusage does", () => {
  const before = { clock: processClock(process.pid), usage: process.cpuUsage() };
  for (const start = process.cpuUsage().user; process.cpuUsage().user - start < 50_000;);
  const { user, system } = process.cpuUsage(before.usage);
  const used = processClock(process.pid) - before.clock;
  expect(Math.abs(used - (user + system) / 1000)).toBeLessThan(5);
});

test("a group counts what was started in it after it has ended, with its children, and nothing else", async () => {
  await using group = openCpuGroup("test");
  if (group === null) {
    console.log("LEFT OUT: control groups, since none can be made here");
    return;
  }
  const before = group.used();
  expect(Bun.spawnSync([process.execPath, "-e", burn]).success).toBe(true);
  expect(group.used()).toBe(before);
  const child = Bun.spawnSync(group.start(["/bin/sh", "-c", '"$0" -e "$1"; exit 3', process.execPath, burn]));
  expect(child.exitCode).toBe(3);
  expect(group.used() - before).toBeGreaterThan(50);
});
