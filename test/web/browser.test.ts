import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
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
  let page: Page;
  let complaints: string[];
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
    browser = await startBrowser(chromium ?? "");
    page = await (await openContext(browser, app.url, null)).newPage();
    complaints = complaintsOf(page);
    application = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
    callback = `http://127.0.0.1:${application.port}/callback`;
    const body = { name: "The application", redirect_uris: [callback], confidential_client: true };
    client = (await alice.api.post<typeof client>("/user/applications/oauth2", body)).body;
    authorize = `${app.url}/login/oauth/authorize?${new URLSearchParams({ client_id: client.client_id, redirect_uri: callback, response_type: "code", state: "abc" }).toString()}`;
  });

  afterAll(async () => {
    await browser?.close();
    await application?.stop(true);
    await app?.[Symbol.asyncDispose]();
  });

  /** Presses the button of this name, of the page's content as a rule, and waits for the page that it leads to. */
  async function press(name: string, within = "body > :not(header)"): Promise<void> {
    const loaded = page.waitForEvent("load");
    await page.locator(within).getByRole("button", { name, exact: true }).click();
    await loaded;
  }

  const textOf = (selector: string) => page.locator(selector).innerText();

  async function signIn(): Promise<void> {
    await page.getByLabel("User name or e-mail address", { exact: true }).fill("alice");
    await page.getByLabel("Password", { exact: true }).fill(testPassword);
    await press("Sign in");
  }

  async function giveCode(): Promise<void> {
    await clearUsedCodes(app);
    await page.getByLabel("Code", { exact: true }).fill(codeOf(secret));
    await press("Go on");
  }

  test("signs in with the second factor and comes to where it wanted to go", async () => {
    await page.goto(`${app.url}/user/settings/tokens`);
    expect(page.url()).toStartWith(`${app.url}/user/login?redirect_to=`);
    await signIn();
    expect(page.url()).toStartWith(`${app.url}/user/two_factor`);
    await giveCode();
    expect(page.url()).toBe(`${app.url}/user/settings/tokens`);
    expect(await page.evaluate<string>("document.cookie")).toMatch(/^(zone=[^;]*)?$/);
  });

  test("makes a token that the API takes, and deletes it", async () => {
    await page.goto(`${app.url}/user/settings/tokens`);
    await page.getByLabel("Name", { exact: true }).fill("From the browser");
    await page.locator("#scope_repository").selectOption("write");
    await press("Create the token");
    const token = await textOf("#token");
    const api = app.withToken(token);
    expect((await api.get("/repos/alice/tour")).status).toBe(200);
    expect((await api.get("/user")).status).toBe(403);
    await press("Delete From the browser");
    expect((await api.get("/repos/alice/tour")).status).toBe(401);
  });

  test("lets an application in, which then acts for the user", async () => {
    await page.goto(authorize);
    expect(await textOf("body")).toContain("The application The application at http://127.0.0.1");
    await press("Allow");
    expect(await textOf("body")).toContain("Welcome to the application");
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
    await page.goto(`${app.url}/user/settings`);
    await page.getByRole("button", { name: "alice, your account" }).click();
    await press("Sign out", "header");
    await page.goto(authorize);
    await signIn();
    await giveCode();
    expect(await textOf("body")).toContain("Welcome to the application");
  });

  test("is not tricked by a page of another origin into sending a form, and shows nothing in its frame", async () => {
    await page.goto(`http://127.0.0.1:${application.port}/attack`);
    expect(complaints.join("\n")).toContain("frame-ancestors");
    await press("Win a prize", "body");
    expect(await textOf("body")).toContain("The form was not sent by a page of this server");
    expect((await alice.api.get<{ name: string }[]>("/users/alice/tokens")).body.map(({ name }) => name)).not.toContain(
      "stolen",
    );
  });
});
