import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { BaseAgent, Client } from "ssh2";
import { mustGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { TestApp, type SettingsPatch, type TestUser } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { fetchOf, listenTo, packet, RawClient } from "./raw-client.ts";

/** Clients that are too many, too slow, or gone. */

const key = new SshKeyPair();
const scratch = new Scratch();

afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

async function start(
  ssh: SettingsPatch["ssh"] = {},
  server: SettingsPatch["server"] = {},
): Promise<{ app: TestApp; ssh: string; alice: TestUser } & AsyncDisposable> {
  const app = await TestApp.start({
    ssh: { enabled: true, port: 0, ...ssh },
    server: { shutdown_grace_seconds: 2, ...server },
  });
  const alice = await app.user("alice");
  await key.addTo(alice);
  return { app, ssh: app.ssh ?? "", alice, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Offers the same key a hundred times, and never signs. */
class AskingAgent extends BaseAgent {
  signed = 0;

  constructor(private readonly publicKey: string) {
    super();
  }

  override getIdentities(answer: (error: Error | null | undefined, keys?: string[]) => void): void {
    answer(
      null,
      Array.from({ length: 100 }, () => this.publicKey),
    );
  }

  override sign(
    _key: unknown,
    _data: Buffer,
    options: unknown,
    answer?: (error: Error | null | undefined) => void,
  ): void {
    this.signed++;
    (answer ?? (options as (error: Error) => void))(new Error("It does not sign"));
  }
}

/** A repository of some megabytes that cannot be compressed; answers its tip. */
async function largeRepository(
  { app, ssh, alice }: { app: TestApp; ssh: string; alice: TestUser },
  megabytes: number,
): Promise<string> {
  await app.repository(alice, "large");
  const work = scratch.join(crypto.randomUUID());
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  writeFileSync(`${work}/noise`, randomBytes(megabytes * 1024 * 1024));
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", "noise"]);
  await mustGit(work, ["push", "-q", `${ssh}/alice/large.git`, "main"], { env: key.env });
  return mustGit(work, ["rev-parse", "HEAD"]);
}

test("a port that is taken is told", async () => {
  await using server = await start();
  const port = Number(new URL(server.ssh).port);
  const failure = await TestApp.start({ ssh: { enabled: true, port } }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "ssh-port-in-use",
    message: expect.stringContaining(`The port ${port} of 127.0.0.1 is in use`) as string,
  });
});

describe("too many", () => {
  test("connections from one address are told so", async () => {
    await using server = await start({ connections_per_address: 2 });
    const held = [listenTo(server.ssh), listenTo(server.ssh)];
    await until("both are admitted", () => held.every(({ socket }) => socket.bytesRead > 0));
    expect(await listenTo(server.ssh).said).toContain("Too many connections: try again later");
    expect(await key.run(server.ssh, [])).toMatchObject({
      code: 255,
      stderr: expect.stringContaining("Too many connections: try again later") as string,
    });
    held.forEach(({ socket }) => socket.destroy());
    await until("there is room again", async () => (await key.run(server.ssh, [])).code === 1);
  });

  test("connections without a valid key have to wait", async () => {
    await using server = await start({ failed_connections_per_minute: 2 });
    for (let attempt = 0; attempt < 2; attempt++) {
      await listenTo(server.ssh, "GET / HTTP/1.0\r\n\r\n").said;
    }
    const { code, stderr } = await key.run(server.ssh, []);
    expect(code).toBe(255);
    expect(stderr).toContain("Too many connections without a valid key: try again in a minute");
  });

  test("connections without a valid key lock nobody out of an address from which somebody signed in", async () => {
    await using server = await start({ failed_connections_per_minute: 2 });
    expect((await key.run(server.ssh, [])).stderr).toContain("Hello alice");
    using unknown = new SshKeyPair();
    for (let attempt = 0; attempt < 3; attempt++) {
      await listenTo(server.ssh, "GET / HTTP/1.0\r\n\r\n").said;
      expect((await unknown.run(server.ssh, [])).stderr).toContain("Permission denied");
    }
    expect((await key.run(server.ssh, [])).stderr).toContain("Hello alice");
  });

  test("keys end the connection", async () => {
    await using server = await start({ authentication_tries: 2 });
    using first = new SshKeyPair();
    using second = new SshKeyPair();
    expect((await first.run(server.ssh, [], ["-i", key.path])).stderr).toContain("Hello alice");
    expect((await first.run(server.ssh, [], ["-i", second.path, "-i", key.path])).stderr).not.toContain("Hello");
  });

  test("questions about a key that is never used end the connection", async () => {
    await using server = await start({ authentication_tries: 2 });
    const agent = new AskingAgent(key.publicKey);
    const { hostname, port, username } = new URL(server.ssh);
    const client = new Client();
    const ended = new Promise<void>((resolve) => client.once("close", () => resolve()));
    client.on("error", () => {});
    client.connect({ host: hostname, port: Number(port), username, agent });
    await ended;
    // One for each question that was answered; the first request asks what may be tried.
    expect(agent.signed).toBe(3 * 2 - 1);
  });
});

describe("too slow", () => {
  test("is who proves no key in time", async () => {
    await using server = await start({ handshake_timeout_seconds: 1 });
    const began = Date.now();
    expect(await listenTo(server.ssh).said).toStartWith("SSH-2.0-Stithy_");
    // Without the setting it is 30 s.
    expect(Date.now() - began).toBeLessThan(29_000);
  });

  test("is who signs in and then does nothing, with or without a command", async () => {
    await using server = await start({ idle_timeout_seconds: 1 });
    await server.app.repository(server.alice, "site", { auto_init: true });
    using resting = await RawClient.connect(server.ssh, key);
    const ended = new Promise<void>((resolve) => resting.client.once("close", () => resolve()));
    using waiting = await RawClient.connect(server.ssh, key);
    const channel = await waiting.exec("git-upload-pack 'alice/site.git'");
    const closed = new Promise<void>((resolve) => channel.once("close", () => resolve()));
    channel.resume();
    await Promise.all([ended, closed]);
  });
});

describe("gone", () => {
  test("in the middle of a fetch or a push, at any byte, does not disturb the server", async () => {
    await using server = await start();
    const oid = await largeRepository(server, 4);
    for (const bytes of [0, 1, 5000, 100_000, 3_000_000]) {
      using client = await RawClient.connect(server.ssh, key);
      const channel = await client.exec("git-upload-pack 'alice/large.git'", "version=2");
      let received = 0;
      channel.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
      channel.write(fetchOf(oid));
      await until(`${bytes} bytes have come`, () => received >= bytes);
    }
    for (const sent of [
      "",
      "00",
      `${packet(`${"0".repeat(40)} ${oid} refs/heads/new\0report-status\n`)}0000`,
      `${packet(`${"0".repeat(40)} ${oid} refs/heads/new\0report-status\n`)}0000PACK\0\0\0\u0002`,
    ]) {
      using client = await RawClient.connect(server.ssh, key);
      const channel = await client.exec("git-receive-pack 'alice/large.git'");
      let received = 0;
      channel.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
      await until("the advertisement has come", () => received > 0);
      channel.write(sent);
    }
    await until(
      "nothing of the pushes is left",
      () => readdirSync(server.app.forge.files.temporaryDirectory).length === 0,
    );
    const refs = await mustGit(scratch.path, ["ls-remote", `${server.ssh}/alice/large.git`], { env: key.env });
    expect(refs).toBe(`${oid}\tHEAD\n${oid}\trefs/heads/main`);
  });
});

describe("a server that stops", () => {
  test("lets a fetch come to its end, and takes nothing new", async () => {
    const server = await start({}, { shutdown_grace_seconds: 20 });
    const oid = await largeRepository(server, 6);
    using client = await RawClient.connect(server.ssh, key);
    using idle = await RawClient.connect(server.ssh, key);
    const idleEnded = new Promise<void>((resolve) => idle.client.once("close", () => resolve()));
    const channel = await client.exec("git-upload-pack 'alice/large.git'", "version=2");
    const hash: Buffer[] = [];
    channel.write(fetchOf(oid));
    await new Promise((resolve) => channel.once("readable", resolve));
    const stopped = server[Symbol.asyncDispose]();
    await idleEnded;
    expect(await listenTo(server.ssh).said).toBe("");
    const status = new Promise<unknown>((resolve) => channel.once("exit", (code: unknown) => resolve(code)));
    channel.on("data", (chunk: Buffer) => hash.push(chunk));
    channel.end();
    expect(await status).toBe(0);
    await stopped;
    expect(Buffer.concat(hash).length).toBeGreaterThan(6 * 1024 * 1024);
  });
});
