import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../lib/log.ts";
import { HostKeys } from "./host-keys.ts";

const options = { durable: true, log: silentLogger };

class Directory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "stithy-host-keys-"));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

test("host keys are made once, for their owner alone, and stay", async () => {
  using directory = new Directory();
  using first = await HostKeys.load(directory.path, options);
  const made = [...first.ready, await first.makeMissing(0)];
  expect(made.map((key) => key?.algorithm)).toEqual(["ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa"]);
  const names = readdirSync(directory.path).sort();
  expect(names).toEqual(["host_ecdsa_key", "host_ed25519_key", "host_rsa_key"]);
  for (const name of names) {
    expect(statSync(join(directory.path, name)).mode & 0o777).toBe(0o600);
  }
  using second = await HostKeys.load(directory.path, options);
  expect(second.ready.map((key) => key.fingerprint)).toEqual(made.map((key) => key?.fingerprint ?? ""));
  expect(await second.makeMissing(0)).toBeNull();
});

test("a file that is no private key is told, and not replaced", async () => {
  using directory = new Directory();
  const path = join(directory.path, "host_ed25519_key");
  for (const text of [
    "",
    "nonsense",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJHXRjBvVzTryP+b0+ikg/MmCRvSxsR2pCGFq0pHFbrx me",
  ]) {
    writeFileSync(path, text);
    const failure = await HostKeys.load(directory.path, options).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "ssh-host-key", message: expect.stringContaining(path) as string });
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("a key that is not wanted any more is not written", async () => {
  using directory = new Directory();
  const keys = await HostKeys.load(directory.path, options);
  const making = keys.makeMissing(0);
  keys[Symbol.dispose]();
  expect(await making).toBeNull();
  expect(readdirSync(directory.path)).not.toContain("host_rsa_key");
});
