import { expect, test } from "bun:test";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** Git over another SSH client than OpenSSH: dropbear's, which begins its key exchange with a guess at what we have. */

const missing = Bun.which("dbclient") === null || Bun.which("dropbearconvert") === null;
if (missing) {
  console.log("LEFT OUT: dropbear's SSH client, which is not installed");
}

// With a key of RSA it looks for a signature that the server says it accepts.
test.skipIf(missing).each(["ecdsa", "rsa"] as const)(
  "dropbear's client pushes and clones with a key of %s",
  async (type) => {
    const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
    const alice = await app.user("alice");
    await app.repository(alice, "site", { default_branch: "main" });
    using scratch = new Scratch();
    using key = new SshKeyPair(type);
    await key.addTo(alice);
    expect(Bun.spawnSync(["dropbearconvert", "openssh", "dropbear", key.path, scratch.join("key")]).exitCode).toBe(0);
    const env = { GIT_SSH_COMMAND: `timeout 20 dbclient -y -y -i ${scratch.join("key")}`, GIT_SSH_VARIANT: "ssh" };
    const work = scratch.join("work");
    await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
    await Bun.write(`${work}/file`, "text\n");
    await mustGit(work, ["add", "-A"]);
    await mustGit(work, ["commit", "-q", "-m", "first"]);
    const url = `${app.ssh}/alice/site.git`;
    const options = ["-c", "protocol.version=0"];
    expect((await runGit(work, [...options, "push", "-q", url, "main"], { env })).code).toBe(0);
    expect((await runGit(scratch.path, [...options, "clone", "-q", url, "clone"], { env })).code).toBe(0);
    expect(await mustGit(scratch.join("clone"), ["rev-parse", "HEAD"])).toBe(
      await mustGit(work, ["rev-parse", "HEAD"]),
    );
  },
);

test.skipIf(missing)(
  "dropbear's client ends when it has written the last to a slow reader, not with our next sign of life",
  async () => {
    const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
    const alice = await app.user("alice");
    await app.repository(alice, "refs", { default_branch: "main" });
    using scratch = new Scratch();
    using key = new SshKeyPair("ecdsa");
    await key.addTo(alice);
    expect(Bun.spawnSync(["dropbearconvert", "openssh", "dropbear", key.path, scratch.join("key")]).exitCode).toBe(0);
    const work = scratch.join("work");
    await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
    await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "first"]);
    const oid = await mustGit(work, ["rev-parse", "HEAD"]);
    // A list of refs that fills a pipe of 64 KB, with the rest in the client, which has our good-bye before it can write that.
    const branches = Array.from(
      { length: 1100 },
      (_, number) => `create refs/heads/branch-${String(number).padStart(4, "0")} ${oid}`,
    ).join("\n");
    await mustGit(work, ["update-ref", "--stdin"], { input: `${branches}\n` });
    await mustGit(work, ["push", "-q", "--all", `${app.ssh}/alice/refs.git`], { env: key.env });
    const { hostname, port, username } = new URL(app.ssh ?? "");
    const client = `timeout 10 dbclient -y -y -i ${scratch.join("key")} -p ${port} ${username}@${hostname} "git-upload-pack 'alice/refs.git'"`;
    const child = Bun.spawn(["bash", "-c", `set -o pipefail; ${client} < /dev/null | (sleep 1; cat)`], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [list, code] = [await child.stdout.text(), await child.exited];
    expect(list.length).toBeGreaterThan(70_000);
    // Not 124, by which `timeout` says that it had to end it.
    expect(code).toBe(0);
  },
);
