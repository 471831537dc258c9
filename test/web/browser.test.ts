import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Browser, findChromium } from "../support/browser.ts";
import { TestApp, testPassword, type TestUser } from "../support/test-app.ts";
import { codeOf, enrolTwoFactor, clearUsedCodes } from "../support/totp.ts";

const chromium = findChromium();
if (chromium === null) {
  console.log("LEFT OUT: there is no chromium to try the pages with");
}

describe.skipIf(chromium === null)("a real browser", () => {
  let app: TestApp;
  let alice: TestUser;
  let secret: string;
  let browser: Browser;
  let application: Bun.Server<undefined>;
  let callback: string;
  let client: { client_id: string; client_secret: string };
  let authorize: string;
  /** What the application was called with. */
  const calls: URL[] = [];

  /** The application. Its pages are of the same site and another origin; one of them means no good. */
  function answer(request: Request): Response {
    const url = new URL(request.url);
    const headers = { "content-type": "text/html" };
    if (url.pathname === "/attack") {
      const form = `<form method="post" action="${app.url}/user/settings/tokens"><input name="name" value="stolen"><input name="all" value="1"><input name="lifetime" value="never"><button>Win a prize</button></form>`;
      return new Response(
        `<!DOCTYPE html><html lang="en"><body>${form}<iframe src="${app.url}/user/settings/tokens"></iframe></body></html>`,
        { headers },
      );
    }
    if (url.pathname === "/callback") {
      calls.push(url);
    }
    return new Response("<!DOCTYPE html><p>Welcome to the application</p>", { headers });
  }

  beforeAll(async () => {
    app = await TestApp.start();
    alice = await app.user("alice");
    ({ secret } = await enrolTwoFactor(app, "alice"));
    await app.repository(alice, "tour", { description: "A tour", auto_init: true });
    browser = await Browser.start(chromium ?? "");
    application = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
    callback = `http://127.0.0.1:${application.port}/callback`;
    const body = { name: "The application", redirect_uris: [callback], confidential_client: true };
    client = (await alice.api.post<typeof client>("/user/applications/oauth2", body)).body;
    authorize = `${app.url}/login/oauth/authorize?${new URLSearchParams({ client_id: client.client_id, redirect_uri: callback, response_type: "code", state: "abc" }).toString()}`;
  });

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await application?.stop(true);
    await app?.[Symbol.asyncDispose]();
  });

  /** What everybody needs who cannot see the page, or not well: language, one main heading, a name for every field. */
  async function expectAccessible(): Promise<void> {
    const faults = await browser.evaluate<string[]>(`[
      ...(document.documentElement.lang === "en" ? [] : ["no language"]),
      ...(document.querySelectorAll("h1:not(article h1)").length === 1 ? [] : ["not one h1"]),
      ...[...document.querySelectorAll("input:not([type=hidden], [hidden]), select, textarea")].filter((field) => field.labels.length === 0 && field.ariaLabel === null).map((field) => "no label: " + field.name),
      ...[...document.querySelectorAll("button, a")].filter((one) => (one.getAttribute("aria-label") ?? one.textContent).trim() === "").map((one) => "no name: " + one.outerHTML),
      ...[...document.querySelectorAll("table")].filter((table) => table.querySelector("th[scope]") === null).map(() => "a table without headings"),
    ]`);
    expect([await browser.address(), faults]).toEqual([await browser.address(), []]);
  }

  async function signIn(): Promise<void> {
    await browser.type("User name or e-mail address", "alice");
    await browser.type("Password", testPassword);
    await expectAccessible();
    await browser.press("Sign in");
  }

  async function giveCode(): Promise<void> {
    await clearUsedCodes(app);
    await browser.type("Code", codeOf(secret));
    await expectAccessible();
    await browser.press("Go on");
  }

  test("signs in with the second factor and comes to where it wanted to go", async () => {
    await browser.open(`${app.url}/user/settings/tokens`);
    expect(await browser.address()).toStartWith(`${app.url}/user/login?redirect_to=`);
    await signIn();
    expect(await browser.address()).toStartWith(`${app.url}/user/two_factor`);
    await giveCode();
    expect(await browser.address()).toBe(`${app.url}/user/settings/tokens`);
    expect(await browser.evaluate<string>("document.cookie")).toMatch(/^(zone=[^;]*)?$/);
  });

  test("makes a token that the API takes, and deletes it", async () => {
    await browser.open(`${app.url}/user/settings/tokens`);
    await browser.type("Name", "From the browser");
    await browser.evaluate("document.querySelector('#scope_repository').value = 'write'");
    await expectAccessible();
    await browser.press("Create the token");
    const token = await browser.evaluate<string>("document.querySelector('#token').textContent");
    const api = app.withToken(token);
    expect((await api.get("/repos/alice/tour")).status).toBe(200);
    expect((await api.get("/user")).status).toBe(403);
    await browser.press("Delete From the browser");
    expect((await api.get("/repos/alice/tour")).status).toBe(401);
  });

  test("lets an application in, which then acts for the user", async () => {
    await browser.open(authorize);
    expect(await browser.text()).toContain("The application The application at http://127.0.0.1");
    await expectAccessible();
    await browser.press("Allow");
    expect(await browser.text()).toContain("Welcome to the application");
    const called = calls.at(-1)?.searchParams;
    expect(called?.get("state")).toBe("abc");
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code: called?.get("code") ?? "",
      redirect_uri: callback,
      client_id: client.client_id,
      client_secret: client.client_secret,
    });
    const tokens = (await (await fetch(`${app.url}/login/oauth/access_token`, { method: "POST", body })).json()) as {
      access_token: string;
    };
    expect((await app.withToken(tokens.access_token).get<{ login: string }>("/user")).body.login).toBe("alice");
  });

  test("comes to an application that is known through signing in, in one go", async () => {
    await browser.open(`${app.url}/user/settings`);
    await browser.click("alice, your account");
    await browser.press("Sign out");
    await browser.open(authorize);
    await signIn();
    await giveCode();
    expect(await browser.text()).toContain("Welcome to the application");
  });

  test("is not tricked by a page of another origin into sending a form, and shows nothing in its frame", async () => {
    await browser.open(`http://127.0.0.1:${application.port}/attack`);
    expect(browser.complaints.join("\n")).toContain("frame-ancestors");
    await browser.press("Win a prize");
    expect(await browser.text()).toContain("The form was not sent by a page of this server");
    expect((await alice.api.get<{ name: string }[]>("/users/alice/tokens")).body.map(({ name }) => name)).not.toContain(
      "stolen",
    );
  });

  test("shows no page wider than a narrow window, and no heading of a table letter by letter", async () => {
    const settings = ["", "/keys", "/tokens", "/sessions", "/applications"].map((name) => `/user/settings${name}`);
    const pages = ["/", "/alice", "/alice/tour", "/repo/create/alice", ...settings];
    await browser.resize(375, 700);
    try {
      for (const path of pages) {
        await browser.open(app.url + path);
        const wider = await browser.evaluate<number>(
          "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)",
        );
        const broken = await browser.evaluate<string[]>(
          `[...document.querySelectorAll("th")].filter((head) => head.getClientRects().length > 0 && head.offsetWidth < 30).map((head) => head.textContent)`,
        );
        expect({ path, wider, broken }).toEqual({ path, wider: 0, broken: [] });
      }
    } finally {
      await browser.resize(1280, 800);
    }
  });

  test("shows every page with its style, labels and headings, and nothing that its policy forbids", async () => {
    browser.complaints.length = 0;
    const settings = ["", "/change_password", "/two_factor", "/sessions", "/tokens", "/keys", "/applications"].map(
      (path) => `/user/settings${path}`,
    );
    for (const path of [
      "/",
      "/alice",
      "/alice/tour",
      "/alice/tour/src/branch/main",
      "/repo/create/alice",
      ...settings,
    ]) {
      await browser.open(app.url + path);
      await expectAccessible();
      expect(await browser.evaluate<string>("getComputedStyle(document.querySelector('.foot')).borderTopStyle")).toBe(
        "solid",
      );
    }
    expect(browser.complaints).toEqual([]);
  });
});
