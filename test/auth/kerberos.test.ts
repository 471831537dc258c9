import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Kdc, missingForKerberos } from "../support/kdc.ts";
import { TestApp, type TestUser } from "../support/test-app.ts";

/** SPNEGO with a real KDC, curl and git. */

const missing = missingForKerberos();
if (missing !== null) {
  console.log(`LEFT OUT: Kerberos: ${missing} not there`);
}

test("where no keytab is set, nobody is offered Kerberos, and a token is no credential", async () => {
  await using app = await TestApp.start();
  expect((await app.anonymous.get("/user")).headers.get("www-authenticate")).not.toContain("Negotiate");
  expect((await app.anonymous.get("/version", { authorization: "Negotiate YII=" })).status).toBe(401);
});

describe.skipIf(missing !== null)("with a ticket", () => {
  let kdc: Kdc;
  let app: TestApp;
  let alice: TestUser;
  let ticket: Record<string, string>;

  beforeAll(async () => {
    kdc = await Kdc.start();
    app = await TestApp.start({
      auth: { failed_sign_ins_per_minute: 1000 },
      kerberos: { keytab_file: kdc.keytab, realm: kdc.realm },
    });
    alice = await app.user("alice");
    ticket = await kdc.principal("alice");
  });

  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
    await kdc?.[Symbol.asyncDispose]();
  });

  const local = () => app.url.replace("127.0.0.1", "localhost");

  async function curl(
    environment: Record<string, string>,
    path: string,
    ...options: string[]
  ): Promise<{ status: number; text: string }> {
    const child = Bun.spawn(["curl", "-s", "-i", "--negotiate", "-u", ":", ...options, `${local()}${path}`], {
      env: environment,
      stdout: "pipe",
      stderr: "ignore",
    });
    const text = await child.stdout.text();
    await child.exited;
    if (child.signalCode === "SIGSEGV") {
      // curl 7.88 crashes now and then as it looks for a ticket that is not there.
      return curl(environment, path, ...options);
    }
    return {
      status: Number(
        text
          .match(/^HTTP\/1\.1 (\d+)/gm)
          ?.at(-1)
          ?.slice(-3),
      ),
      text,
    };
  }

  /** What a client would send to the server, which has not seen it. */
  async function freshToken(environment: Record<string, string>): Promise<string> {
    let authorization = "";
    await using catcher = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        authorization = request.headers.get("authorization") ?? authorization;
        return new Response(
          null,
          authorization === "" ? { status: 401, headers: { "www-authenticate": "Negotiate" } } : {},
        );
      },
    });
    await Bun.spawn(["curl", "-s", "--negotiate", "-u", ":", `http://localhost:${catcher.port}/`], {
      env: environment,
      stdout: "ignore",
    }).exited;
    expect(authorization).toStartWith("Negotiate YII");
    return authorization;
  }
  const statusWith = async (authorization: string, headers: Record<string, string> = {}, path = "/user") =>
    (await app.anonymous.get(path, { authorization, ...headers })).status;

  test("curl is the user of that name, and is shown that the server is the server", async () => {
    expect((await app.anonymous.get("/user")).headers.get("www-authenticate")).toBe('Bearer realm="Stithy", Negotiate');
    const { status, text } = await curl(ticket, "/api/v1/user");
    expect(status).toBe(200);
    expect(text).toContain('"login":"alice"');
    expect(text).toMatch(/www-authenticate: Negotiate [A-Za-z0-9+/]{40,}/i);
  });

  test("a browser is signed in by it in one place, and asked for it nowhere else", async () => {
    const path = "/user/login/negotiate?redirect_to=/alice";
    const { status, text } = await curl(ticket, path);
    expect(status).toBe(303);
    expect(text).toMatch(/location: \/alice\r/i);
    const cookie = /set-cookie: (stithy_session=[\w-]+)/i.exec(text)?.[1] ?? "";
    expect(await (await fetch(app.url, { headers: { cookie } })).text()).toContain("alice, your account</span>");
    expect((await curl({ ...ticket, KRB5CCNAME: "FILE:/nonexistent" }, path)).status).toBe(401);
    expect((await curl(await kdc.principal("nobody"), path)).status).toBe(401);
    const crossSite = { authorization: await freshToken(ticket), "sec-fetch-site": "cross-site" };
    expect((await fetch(app.url + path, { headers: crossSite, redirect: "manual" })).status).toBe(401);
    const signIn = await fetch(`${app.url}/user/login`);
    expect([signIn.headers.get("www-authenticate"), (await signIn.text()).includes("Sign in with Kerberos")]).toEqual([
      null,
      true,
    ]);
  });

  test("git clones and pushes without a password", async () => {
    await app.repository(alice, "site", { private: true, auto_init: true });
    const run = async (...args: string[]) => {
      const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "http.emptyAuth=true"];
      const child = Bun.spawn(["git", ...identity, ...args], {
        cwd: kdc.directory,
        env: { ...ticket, GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1" },
        stdout: "ignore",
        stderr: "pipe",
      });
      return { code: await child.exited, stderr: await child.stderr.text() };
    };
    expect(await run("clone", "-q", `${local()}/alice/site.git`, "work")).toEqual({ code: 0, stderr: "" });
    expect(await run("-C", "work", "commit", "-q", "--allow-empty", "-m", "By ticket")).toEqual({
      code: 0,
      stderr: "",
    });
    expect(await run("-C", "work", "push", "-q", "origin", "HEAD")).toEqual({ code: 0, stderr: "" });
    const { body } = await alice.api.get<{ commit: { message: string } }[]>("/repos/alice/site/commits?limit=1");
    expect(body[0]?.commit.message.trim()).toBe("By ticket");
  });

  test("a token works once, also for a request that is led on to a new name", async () => {
    const authorization = await freshToken(ticket);
    expect([await statusWith(authorization), await statusWith(authorization)]).toEqual([200, 401]);
    await app.repository(alice, "before", { private: true });
    await alice.api.patch("/repos/alice/before", { name: "after" });
    expect(await statusWith(await freshToken(ticket), {}, "/repos/alice/before")).toBe(307);
  });

  test("a token that was changed, cut or made up is as good as none", async () => {
    const authorization = await freshToken(ticket);
    const bytes = Buffer.from(authorization.slice("Negotiate ".length), "base64");
    for (const at of [0, 20, bytes.length >> 1, bytes.length - 5]) {
      const changed = Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 0x41 : byte)));
      expect({ at, status: await statusWith(`Negotiate ${changed.toString("base64")}`) }).toEqual({ at, status: 401 });
    }
    const others = [
      bytes.subarray(0, 200).toString("base64"),
      "A",
      "====",
      "%%%",
      btoa("alice"),
      "A".repeat(12_000),
      "TlRMTVNTUAABAAAAB4IIogAAAAAAAAAAAAAAAAAAAAAGAbEdAAAADw==",
    ];
    for (const token of others) {
      expect(await statusWith(`Negotiate ${token}`)).toBe(401);
    }
    // None of that has used the token up.
    expect(await statusWith(authorization)).toBe(200);
  });

  test("nobody comes in without a ticket, without a user of the name, as a role, or suspended", async () => {
    expect((await curl({ ...ticket, KRB5CCNAME: "FILE:/nonexistent" }, "/api/v1/user")).status).toBe(401);
    const stranger = await kdc.principal("nobody");
    expect((await curl(stranger, "/api/v1/user")).status).toBe(401);
    expect((await curl(await kdc.principal("alice/admin"), "/api/v1/user")).status).toBe(401);
    const mallory = await app.user("mallory");
    const held = await kdc.principal("mallory");
    expect((await curl(held, "/api/v1/user")).status).toBe(200);
    await app.forge.database.sql`update account set suspended = true where owner_id = ${mallory.id}`;
    const [refused, invalid] = [await curl(held, "/api/v1/user"), await curl(stranger, "/api/v1/user")];
    expect(refused.status).toBe(401);
    expect(refused.text.split("\r\n\r\n").at(-1)).toBe(invalid.text.split("\r\n\r\n").at(-1) ?? "");
  });

  test("a page of another site cannot use it", async () => {
    const authorization = await freshToken(ticket);
    expect(await statusWith(authorization, { origin: "https://evil.example" })).toBe(401);
    expect(await statusWith(authorization, { "sec-fetch-site": "cross-site" })).toBe(401);
    expect(await statusWith(authorization, { origin: app.url })).toBe(200);
  });

  test("for another key of the service, nothing is accepted", async () => {
    await using other = await TestApp.start({ kerberos: { keytab_file: kdc.foreignKeytab(), realm: kdc.realm } });
    await other.user("alice");
    const { status } = await other.anonymous.get("/user", { authorization: await freshToken(ticket) });
    expect(status).toBe(401);
  });

  test("principals of another realm are nobody's", async () => {
    await using other = await TestApp.start({ kerberos: { keytab_file: kdc.keytab, realm: "OTHER.TEST" } });
    await other.user("alice");
    expect((await other.anonymous.get("/user", { authorization: await freshToken(ticket) })).status).toBe(401);
  });

  test("the server does not start with a keytab or a library that cannot be used", async () => {
    const broken = join(kdc.directory, "broken.keytab");
    writeFileSync(broken, "no keytab");
    await expect(TestApp.start({ kerberos: { keytab_file: broken, realm: kdc.realm } })).rejects.toThrow(
      "broken.keytab cannot be used",
    );
    await expect(
      TestApp.start({ kerberos: { keytab_file: kdc.keytab, realm: kdc.realm, library: "libnone.so" } }),
    ).rejects.toThrow("libnone.so cannot be loaded");
    await expect(
      TestApp.start({ kerberos: { keytab_file: kdc.keytab, realm: kdc.realm, principal: "HTTP/other@STITHY.TEST" } }),
    ).rejects.toThrow("cannot be used");
  });
});
