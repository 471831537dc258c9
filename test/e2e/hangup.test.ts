import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { connect } from "node:tls";
import { makeCertificate, openssl } from "../support/certificate.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, StithyProcess, commandLine } from "../support/stithy.ts";
import { until } from "../support/until.ts";

/** SIGHUP: a service reads its certificate again, and a server whose terminal is closed stops in good order. */

setDefaultTimeout(120_000);

const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
afterAll(() => directory[Symbol.dispose]());

const [certificate, key] = [directory.join("certificate.pem"), directory.join("key.pem")];

/** The name in the certificate that a new connection is shown. */
function shownName(port: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false }, () => {
    resolve(String(socket.getPeerCertificate().subject.CN));
    socket.end();
  });
  socket.on("error", reject);
  return promise;
}

/** As an ACME client does it: written beside, and renamed. */
function replaceCertificate(name: string): void {
  makeCertificate(name, `${certificate}.new`, `${key}.new`);
  renameSync(`${key}.new`, key);
  renameSync(`${certificate}.new`, certificate);
}

if (openssl === null) {
  console.log("LEFT OUT: a new certificate at SIGHUP, because there is no openssl to make one with");
}

test.if(openssl !== null)(
  "a service takes a new certificate at SIGHUP, and keeps the one before if it is broken",
  async () => {
    makeCertificate("first.example", certificate, key);
    await using server = new StithyProcess(["serve", "--data", directory.join("service"), "--port", "0"], {
      env: {
        STITHY_SERVER__TLS_CERTIFICATE_FILE: certificate,
        STITHY_SERVER__TLS_KEY_FILE: key,
        STITHY_ADMIN_USER: "root",
        STITHY_ADMIN_PASSWORD: "correct horse battery staple",
      },
    });
    const { url } = await server.logged("Listening");
    const { port } = new URL(String(url));
    expect(await shownName(port)).toBe("first.example");

    // A request that is under way has its answer from the server before: its body is not complete yet.
    const { promise: whole, resolve: complete } = Promise.withResolvers<void>();
    const asked = fetch(`${String(url)}/api/v1/markdown/raw`, {
      method: "POST",
      tls: { rejectUnauthorized: false },
      headers: { authorization: `Basic ${btoa("root:correct horse battery staple")}`, "content-type": "text/plain" },
      body: (async function* () {
        yield Buffer.from("*begun* ");
        await whole;
        yield Buffer.from("*ended*");
      })() as unknown as ReadableStream,
    });
    await until("the request is under way", async () => (await shownName(port)) === "first.example");

    replaceCertificate("second.example");
    server.kill("SIGHUP");
    await until("the new certificate is shown", async () => {
      const name = await shownName(port).catch(() => "none");
      return name === "second.example";
    });
    complete();
    const answer = await asked;
    expect([answer.status, await answer.text()]).toEqual([200, "<p><em>begun</em> <em>ended</em></p>\n"]);

    writeFileSync(certificate, "no certificate");
    server.kill("SIGHUP");
    const { reason, level } = await server.logged("A new certificate was not taken; the one before stays in use");
    expect([level, reason]).toEqual([
      "error",
      expect.stringContaining(`The certificate ${certificate} with the key ${key} cannot be used: `),
    ]);
    expect(await shownName(port)).toBe("second.example");
    // The key of another one.
    makeCertificate("third.example", certificate, `${key}.other`);
    server.kill("SIGHUP");
    await until("the mismatch is told", () => server.stderr.includes("the key belongs to another certificate"));
    expect(await shownName(port)).toBe("second.example");
    expect(await server.stop()).toBe(0);
  },
);

test("a service without a certificate goes on at SIGHUP", async () => {
  await using server = new StithyProcess(["serve", "--data", directory.join("plain"), "--port", "0"]);
  const { url } = await server.logged("Listening");
  server.kill("SIGHUP");
  await server.logged("Reading the certificate again; other settings need a restart");
  expect((await fetch(`${String(url)}/api/healthz`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test("a server whose terminal is closed stops in good order", async () => {
  let shown = "";
  await using server = Bun.spawn([...commandLine, "serve", "--ephemeral", "--port", "0"], {
    cwd: tmpdir(),
    env: { ...process.env, TMPDIR: directory.path },
    terminal: { data: (_terminal, piece) => void (shown += Buffer.from(piece).toString()) },
  });
  await until("the server is ready", () => shown.includes('"ready":true'), 60_000);
  const homes = () => readdirSync(directory.path).filter((name) => name.startsWith("stithy-ephemeral-"));
  expect(homes()).toHaveLength(1);
  server.terminal?.close();
  expect(await server.exited).toBe(0);
  expect(homes()).toEqual([]);
  expect(existsSync(directory.path)).toBe(true);
});
