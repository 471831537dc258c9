import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import ssh2 from "ssh2";
import { mustGit } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { listMirrors } from "../../src/domain/exchange/mirrors/list-queries.ts";

/** The key of an SSH server is noted when it is met, before it sees a credential, and no other one is believed from then on. */

const app = await useTestApp({ outbound: { allowed_networks: ["127.0.0.0/8"] } });
const alice = await app.user("alice");
const { sql, db } = app.forge.database;
const root = mkdtempSync(join(tmpdir(), "stithy-host-keys-"));
await mustGit(root, ["init", "-q", "--bare", "-b", "main", "source.git"]);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** An SSH server of git's own repositories in the directory, which lets in whoever has the password. */
class SshBackend implements AsyncDisposable {
  readonly #listening = Promise.withResolvers<void>();
  readonly #server: ssh2.Server;
  readonly #clients = new Set<ssh2.Connection>();
  readonly passwords: string[] = [];
  readonly hostKey: string;

  constructor(password: string) {
    const pair = ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 });
    const [parsed] = [ssh2.utils.parseKey(pair.public)].flat();
    const bytes = (parsed as ssh2.ParsedKey).getPublicSSH();
    this.hostKey = `SHA256:${createHash("sha256").update(bytes).digest("base64").replace(/=+$/, "")}`;
    this.#server = new ssh2.Server({ hostKeys: [pair.private] }, (client) => {
      this.#clients.add(client);
      client.on("error", () => {});
      client.on("authentication", (context) => {
        if (context.method === "password") {
          this.passwords.push(context.password);
        }
        return context.method === "password" && context.password === password
          ? context.accept()
          : context.reject(["password"]);
      });
      client.on("session", (accept) => accept().on("exec", (agree, _refuse, { command }) => serve(agree(), command)));
    });
    this.#server.listen(0, "127.0.0.1", () => this.#listening.resolve());
  }

  async address(): Promise<string> {
    await this.#listening.promise;
    return `ssh://git@127.0.0.1:${(this.#server.address() as { port: number }).port}${root}/source.git`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#clients.forEach((client) => client.end());
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

async function serve(channel: ssh2.ServerChannel, command: string): Promise<void> {
  const git = Bun.spawn(["sh", "-c", `exec git ${command.replace(/^git-/, "")}`], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  channel.on("data", (chunk: Buffer) => void git.stdin.write(chunk));
  channel.on("end", () => void git.stdin.end());
  for await (const chunk of git.stdout) {
    channel.write(Buffer.from(chunk));
  }
  channel.exit(await git.exited);
  channel.end();
}

interface Failure {
  message: string;
}

const migrationOf = async (repositoryId: number) => {
  const [row] = await sql<{ state: string; key: string | null }[]>`
    select state, host_key as key from repository_migration where repository_id = ${repositoryId}`;
  return row;
};

test("a migration goes on only with the server that it was begun with, and a mirror keeps that", async () => {
  await using backend = new SshBackend("secret-pass");
  const clone_addr = await backend.address();
  const option = { clone_addr, auth_username: "git", auth_password: "secret-pass" };
  const { status, body } = await alice.api.post<{ id: number }>("/repos/migrate", {
    ...option,
    repo_name: "followed",
    mirror: true,
  });
  expect(status).toBe(201);
  await until("it is done", async () => (await migrationOf(body.id))?.state === "done");
  expect((await migrationOf(body.id))?.key).toBe(backend.hostKey);
  expect(await listMirrors(db, { size: 10, offset: 0 })).toEqual([
    { repository: "alice/followed", direction: "pull", address: clone_addr, hostKey: backend.hostKey, lastError: "" },
  ]);
  // As if another server had answered between the request and the job.
  await sql`update pull_mirror set host_key = 'SHA256:other'`;
  await alice.api.post("/repos/alice/followed/mirror-sync");
  await until("the mirror is refused", async () => {
    const [row] = await listMirrors(db, { size: 10, offset: 0 });
    return row?.lastError.includes(`has the host key ${backend.hostKey}, and had SHA256:other before`) === true;
  });
});

test("a push mirror notes the key when it is met, though its own key is not accepted yet", async () => {
  await using backend = new SshBackend("secret-pass");
  await app.repository(alice, "sent", { auto_init: true });
  const mirror = { remote_address: await backend.address(), use_ssh: true, interval: "0" };
  expect((await alice.api.post("/repos/alice/sent/push_mirrors", mirror)).status).toBe(200);
  const found = async () =>
    (await listMirrors(db, { size: 10, offset: 0 })).find(({ direction }) => direction === "push");
  await until("it was tried", async () => (await found())?.lastError !== "");
  expect(await found()).toMatchObject({
    hostKey: backend.hostKey,
    lastError: expect.stringContaining("does not accept"),
  });
});

test("a server that answers in the place of the first one sees no password", async () => {
  await using first = new SshBackend("secret-pass");
  await using other = new SshBackend("secret-pass");
  const clone_addr = await first.address();
  const option = { clone_addr, auth_username: "git", auth_password: "secret-pass", repo_name: "caught" };
  // The job begins after the request has ended, and meets the other server.
  const aside = (await other.address()).replace(/^.*?127/, "ssh://git@127");
  await sql`create function lead_aside() returns trigger language plpgsql as $$
    begin new.address = tg_argv[0]; return new; end $$`;
  await sql.unsafe(`create trigger lead_aside before insert on repository_migration for each row
    execute function lead_aside('${aside}')`);
  const { status, body } = await alice.api.post<Failure>("/repos/migrate", option);
  expect([status, body.message]).toEqual([422, expect.stringContaining(`and had ${first.hostKey} before`)]);
  expect([first.passwords.length > 0, other.passwords]).toEqual([true, []]);
});
