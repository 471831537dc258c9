import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The module of the clients that are built with Go; its go.mod says the least version. */
export const goModule = join(import.meta.dir, "..", "clients", "go");

/** Returns whether there is a Go that builds the clients of the tests. Otherwise says what is left out, and why. */
export function findGo(what: string): boolean {
  const lack = lackOfGo();
  if (lack !== null) {
    console.log(`LEFT OUT: ${what}, because ${lack}`);
  }
  return lack === null;
}

function lackOfGo(): string | null {
  if (Bun.which("go") === null) {
    return "there is no go";
  }
  const [, least = ""] = /^go (\S+)$/m.exec(readFileSync(join(goModule, "go.mod"), "utf8")) ?? [];
  // Go 1.21 and newer fetch the version that go.mod asks for; the older ones build with what they are.
  const said = Bun.spawnSync(["go", "version"], { cwd: goModule, env: process.env });
  const [, version = "0"] = /\bgo(\d+(?:\.\d+)*)/.exec(said.stdout.toString()) ?? [];
  return said.success && Bun.semver.order(`${version}.0.0`.replace(/^(\d+\.\d+\.\d+).*/, "$1"), `${least}.0`) >= 0
    ? null
    : `go is older than ${least}`;
}
