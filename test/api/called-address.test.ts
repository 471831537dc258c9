import { describe, expect, test } from "bun:test";
import { MailCatcher, readQuotedPrintable } from "../support/mail-catcher.ts";
import { TestApp, testPassword, type RepositoryJson, type SettingsPatch } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

/** Whoever calls 127.0.0.1 under another name sees addresses with that name, while no `server.base_url` is set. */

interface Shown extends RepositoryJson {
  ssh_url: string;
  html_url: string;
  owner: { html_url: string };
}

async function shown(app: TestApp, headers: Record<string, string>): Promise<Shown> {
  const { status, body } = await app.anonymous.with(headers).get<Shown>("/repos/alice/tour");
  expect(status).toBe(200);
  return body;
}

async function withApp(server: SettingsPatch["server"], run: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await TestApp.start({ server: { ...server }, ssh: { enabled: true, port: 0 } });
  await app.repository(await app.user("alice"), "tour");
  await run(app);
}

describe("without server.base_url", () => {
  test("responses follow the host that was called, with its port", () =>
    withApp({}, async (app) => {
      const { clone_url, ssh_url, html_url, owner } = await shown(app, { host: "Forge.LAN:8080" });
      expect({ clone_url, html_url, owner: owner.html_url }).toEqual({
        clone_url: "http://forge.lan:8080/alice/tour.git",
        html_url: "http://forge.lan:8080/alice/tour",
        owner: "http://forge.lan:8080/alice",
      });
      expect(ssh_url).toBe(`${app.ssh?.replace("127.0.0.1", "forge.lan")}/alice/tour.git`);
      const page = await new WebVisitor(app.url, { host: "forge.lan:8080" }).get("/alice/tour");
      expect(page.text).toContain("http://forge.lan:8080/alice/tour.git");
      const missing = await app.anonymous.with({ host: "forge.lan" }).get<{ url: string }>("/repos/alice/none");
      expect(missing.body.url).toStartWith("http://forge.lan/");
    }));

  test("a host that is no host, and what a client says of a proxy, change nothing", () =>
    withApp({}, async (app) => {
      const own = `${app.url}/alice/tour.git`;
      for (const headers of [
        { host: "a'b:1" },
        { host: "a&b" },
        { "x-forwarded-host": "evil.example" },
        { "x-forwarded-proto": "https" },
      ]) {
        expect((await shown(app, headers as never)).clone_url).toBe(own);
      }
    }));

  test("a trusted proxy says what was called; of several names its own counts", () =>
    withApp({ trusted_proxies: ["127.0.0.1"] }, async (app) => {
      const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "evil.example, forge.example" };
      const { clone_url, ssh_url } = await shown(app, forwarded);
      expect(clone_url).toBe("https://forge.example/alice/tour.git");
      expect(ssh_url).toContain("@forge.example:");
      for (const bad of ["evil.example/x", "user@evil.example", "evil.example?x", ""]) {
        expect((await shown(app, { "x-forwarded-host": bad })).clone_url).not.toContain("evil");
      }
      expect((await shown(app, { "x-forwarded-proto": "javascript" })).clone_url).toStartWith(app.url);
    }));

  test("hosts that are not in the list are not followed", () =>
    withApp({ allowed_hosts: ["Forge.lan"] }, async (app) => {
      expect((await shown(app, { host: "forge.lan:1" })).clone_url).toBe("http://forge.lan:1/alice/tour.git");
      expect((await shown(app, { host: "evil.example" })).clone_url).toBe(`${app.url}/alice/tour.git`);
    }));
});

test("with server.base_url no request changes an address", () =>
  withApp({ base_url: "https://forge.example/git", trusted_proxies: ["127.0.0.1"] }, async (app) => {
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
    expect((await shown(app, headers)).clone_url).toBe("https://forge.example/git/alice/tour.git");
  }));

describe("what outlives a request does not follow it", () => {
  test("links in mails", async () => {
    await using catcher = await MailCatcher.start();
    await using app = await TestApp.start({
      mail: { smtp_host: "127.0.0.1", smtp_port: catcher.port, smtp_security: "none", from: "forge@example.com" },
    });
    await app.user("alice");
    const visitor = new WebVisitor(app.url, { host: "evil.example" });
    expect((await visitor.submit("/user/forgot_password", { account: "alice" })).status).toBe(200);
    const text = readQuotedPrintable((await catcher.mail(0)).source);
    expect(text).toContain(`${app.url}/user/reset-password?token=`);
    expect(text).not.toContain("evil");
  });

  test("the issuer of OAuth, and what a webhook is told", async () => {
    const app = await TestApp.start();
    await using _closed = app;
    const asked = await fetch(`${app.url}/.well-known/openid-configuration`, { headers: { host: "evil.example" } });
    const discovery = await asked.text();
    expect(discovery).toContain(`"issuer":"${app.url}"`);
    expect(discovery).not.toContain("evil");
  });
});

describe("a form that was sent to another address than server.base_url", () => {
  const fields = { user_name: "alice", password: testPassword };

  test("is answered with the address to sign in at", async () => {
    await using app = await TestApp.start({ server: { base_url: "https://forge.example" } });
    await app.user("alice");
    // A browser keeps no cookie for https from a page over http.
    const visitor = new WebVisitor(app.url, { origin: app.url });
    const page = await visitor.get("/user/login");
    visitor.cookie = "";
    const { status, text } = await visitor.post("/user/login", fields);
    expect(page.status).toBe(200);
    expect(status).toBe(403);
    expect(text).toContain("The address of this server is https://forge.example");
  });

  test("is answered with the setting for a proxy where none is set", async () => {
    await using app = await TestApp.start();
    await app.user("alice");
    const visitor = new WebVisitor(app.url, { origin: "https://forge.example" });
    const { status, text } = await visitor.submit("/user/login", fields);
    expect(status).toBe(403);
    expect(text).toContain("server.base_url");
  });
});
