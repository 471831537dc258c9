import { mkdir } from "node:fs/promises";
import { join } from "node:path";
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
  if (response.status !== 201) throw new Error(`The SSH key could not be added: ${response.status} ${await response.text()}`);
  const options = ["IdentitiesOnly=yes", "IdentityAgent=none", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "BatchMode=yes"];
  return {
    command: ["ssh", "-F", "/dev/null", "-i", path, ...options.flatMap((option) => ["-o", option])].join(" "),
    url: (name) => `${server.ssh}/root/${name}.git`,
  };
}
