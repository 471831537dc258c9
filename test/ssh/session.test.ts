import { afterAll, describe, expect, test } from "bun:test";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** What SSH can do besides git is refused, with the real OpenSSH client asking. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const key = new SshKeyPair();
await key.addTo(alice);
await app.repository(alice, "site", { auto_init: true });
const server = app.ssh ?? "";
const greeting = "Hello alice! You are signed in, but there is no shell here: this server speaks git only\n";

afterAll(() => key[Symbol.dispose]());

test("a shell is a greeting", async () => {
  expect(await key.run(server, [])).toEqual({ code: 1, stdout: "", stderr: greeting });
});

test.each(["ls", "git-upload-pack 'alice/site.git'; ls", "sh -c id", "git --version"])(
  "%s is not run",
  async (command) => {
    expect(await key.run(server, [command])).toEqual({
      code: 1,
      stdout: "",
      stderr: "stithy: Only git's own commands can be run here\n",
    });
  },
);

test("another user name is told which one it is", async () => {
  const { code, stderr } = await key.run(server.replace("git@", "alice@"), ["git-upload-pack 'alice/site.git'"]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'stithy: Use the user name "git": who you are is told by your key\n',
  });
});

test.each([
  ["all that it has by itself", [], "aes128-gcm@openssh.com"],
  ["AES-256 first", ["-c", "aes256-ctr,aes256-gcm@openssh.com"], "aes256-gcm@openssh.com"],
  ["no AES-GCM", ["-c", "chacha20-poly1305@openssh.com,aes256-ctr,aes128-ctr"], "aes256-ctr"],
] as const)("a client that offers %s is answered", async (_, options, cipher) => {
  const { code, stderr } = await key.run(server, [], ["-v", ...options]);
  expect(code).toBe(1);
  expect(stderr).toContain(`kex: server->client cipher: ${cipher} `);
  expect(stderr).toContain(`kex: client->server cipher: ${cipher} `);
});

describe("refused are", () => {
  test("ciphers that are weak", async () => {
    const { code, stderr } = await key.run(server, [], ["-v", "-c", "aes128-cbc,3des-cbc"]);
    expect(code).toBe(255);
    expect(stderr).toContain("no matching cipher");
  });

  test("terminals", async () => {
    const { code, stderr } = await key.run(server, [], ["-tt"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("PTY allocation request failed");
  });

  test("subsystems, such as sftp", async () => {
    const { code, stderr } = await key.run(server, ["sftp"], ["-s"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("subsystem request failed");
  });

  test("connections onwards", async () => {
    const { code, stderr } = await key.run(server, [], ["-W", "127.0.0.1:22"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("stdio forwarding failed");
  });

  test("listening for somebody", async () => {
    const { code, stderr } = await key.run(
      server,
      [],
      ["-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:22", "-N"],
    );
    expect(code).not.toBe(0);
    expect(stderr).toContain("remote port forwarding failed");
  });

  test("variables other than the one of git's protocol", async () => {
    const env = ["-o", "SetEnv=GIT_PROTOCOL=version=2 LD_PRELOAD=/tmp/x.so", "-v"];
    const { stdout } = await key.run(server, ["git-upload-pack 'alice/site.git'"], env);
    expect(stdout).toStartWith("000eversion 2\n");
  });

  test("passwords", async () => {
    const { code, stderr } = await key.run(
      server,
      [],
      ["-o", "PreferredAuthentications=password,keyboard-interactive", "-o", "PubkeyAuthentication=no"],
    );
    expect(code).toBe(255);
    expect(stderr).toContain("Permission denied (publickey)");
  });
});
