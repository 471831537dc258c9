import { expect, setDefaultTimeout, test } from "bun:test";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** Git over another SSH client than OpenSSH: dropbear's, which begins its key exchange with a guess at what we have. */

setDefaultTimeout(60_000);

const missing = Bun.which("dbclient") === null || Bun.which("dropbearconvert") === null;
if (missing) {
  console.log("LEFT OUT: dropbear's SSH client, which is not installed");
}

// With a key of RSA it looks for a signature that the server says it accepts.
test.skipIf(missing).each(["ecdsa", "rsa"] as const)("dropbear's client pushes and clones with a key of %s", async (type) => {
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
  expect(await mustGit(scratch.join("clone"), ["rev-parse", "HEAD"])).toBe(await mustGit(work, ["rev-parse", "HEAD"]));
});
