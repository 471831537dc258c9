import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "./git-operations.ts";
import { packRequest } from "./pack-request.ts";
import { run } from "./support/run.ts";
import type { StithyServer } from "./support/stithy-server.ts";

/** How git reaches the repositories of a server over SSH. */
export interface SshAccess {
  /** For the setting `core.sshCommand` (`git -c core.sshCommand=…`) or the variable GIT_SSH_COMMAND. */
  command: string;
  /** Address of a repository of root's. */
  url(name: string): string;
}

/** Makes a key in the scratch directory and adds it to root's. */
export async function prepareSsh(server: StithyServer, scratch: string): Promise<SshAccess> {
  const directory = join(scratch, "ssh");
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, "key");
  await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "bench", "-f", path]);
  const response = await fetch(`${server.url}/api/v1/user/keys`, {
    method: "POST",
    headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "bench", key: await Bun.file(`${path}.pub`).text() }),
  });
  if (response.status !== 201)
    throw new Error(`The SSH key could not be added: ${response.status} ${await response.text()}`);
  const options = [
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "StrictHostKeyChecking=no",
    "UserKnownHostsFile=/dev/null",
    "LogLevel=ERROR",
    "BatchMode=yes",
  ];
  return {
    command: ["ssh", "-F", "/dev/null", "-i", path, ...options.flatMap((option) => ["-o", option])].join(" "),
    url: (name) => `${server.ssh}/root/${name}.git`,
  };
}

/** A clone by `ssh` alone: what comes is decrypted and dropped. */
export async function fetchPackOverSsh(source: Source, ssh: SshAccess, name: string): Promise<void> {
  const { username, hostname, port, pathname } = new URL(ssh.url(name));
  const command = [
    ...ssh.command.split(" "),
    "-o",
    "SetEnv=GIT_PROTOCOL=version=2",
    "-p",
    port,
    `${username}@${hostname}`,
    `git-upload-pack '${pathname}'`,
  ];
  const oids = [...new Set(source.refs.split("\n").map((ref) => ref.slice(0, ref.indexOf(" "))))];
  // The second flush ends the conversation.
  const child = Bun.spawn(command, {
    stdin: Buffer.from(`${packRequest(oids)}0000`),
    stdout: "ignore",
    stderr: "pipe",
  });
  const [said, code] = await Promise.all([child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`The fetch over SSH ended with ${code}: ${said}`);
}
