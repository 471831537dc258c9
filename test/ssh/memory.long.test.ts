import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { ApiClient } from "../support/client.ts";
import { mustGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { StithyProcess } from "../support/stithy.ts";
import { until } from "../support/until.ts";
import { fetchOf, RawClient } from "./raw-client.ts";

const MiB = 1024 * 1024;
const token = "sty_of-the-memory-test";
const seed = JSON.stringify({
  users: [{ username: "alice", tokens: [{ name: "t", value: token, scopes: ["all"] }] }],
  repositories: [{ owner: "alice", name: "large" }],
});

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
}

test.if(process.platform === "linux")(
  "clients that fetch and do not read cost a window each, not what they asked for",
  async () => {
    using key = new SshKeyPair();
    using scratch = new Scratch();
    await using server = new StithyProcess(["serve", "--ephemeral", "--port", "0", "--seed", seed]);
    const { url, ssh, pid } = await server.ready<{ url: string; ssh: string; pid: number }>();
    const api = new ApiClient(url, { authorization: `token ${token}` });
    expect((await api.post("/user/keys", { title: "t", key: key.publicKey })).status).toBe(201);
    const work = scratch.join("work");
    await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
    for (let number = 0; number < 96; number++) {
      writeFileSync(`${work}/noise-${number}`, randomBytes(MiB / 2));
    }
    await mustGit(work, ["add", "-A"]);
    await mustGit(work, ["commit", "-q", "-m", "noise"]);
    const address = `${ssh}/alice/large.git`;
    await mustGit(work, ["push", "-q", address, "main"], { env: key.env });
    await mustGit(scratch.path, ["clone", "-q", "--bare", address, scratch.join("warm")], { env: key.env });
    const oid = await mustGit(work, ["rev-parse", "HEAD"]);

    const before = residentBytes(pid);
    const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.connect(ssh, key)));
    try {
      await Promise.all(
        clients.map(async (client, index) => {
          const channel = await client.exec("git-upload-pack 'alice/large.git'", "version=2");
          channel.write(fetchOf(oid));
          await new Promise((resolve) => channel.once("readable", resolve));
          // Half of them leave the window alone, the others the socket under it, having promised to take anything.
          if (index % 2 === 0) {
            client.socket.pause();
          }
        }),
      );
      let still = 0;
      let most = 0;
      let last = 0;
      await until("nothing moves any more", () => {
        const moved = clients.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
        still = moved === last ? still + 1 : 0;
        last = moved;
        most = Math.max(most, residentBytes(pid));
        return still > 100;
      });
      expect((most - before) / MiB).toBeLessThan(100);
    } finally {
      clients.forEach((client) => client[Symbol.dispose]());
    }
    expect(await mustGit(scratch.path, ["ls-remote", address, "main"], { env: key.env })).toContain(oid);
  },
);
