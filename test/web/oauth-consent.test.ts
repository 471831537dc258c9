import { expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";

/** A consent takes the place of the one before, and what that one gave is bound by it. */

const app = await useTestApp();
const user = await app.user("user");
const callback = "https://ci.example/authorize";
const browser = new WebVisitor(app.url);
await browser.signIn(user.name, testPassword);
const application = (
  await user.api.post<{ client_id: string; client_secret: string }>("/user/applications/oauth2", {
    name: "CI",
    redirect_uris: [callback],
    confidential_client: true,
  })
).body;

type Answer = Record<string, string> & { access_token: string; refresh_token: string };

/** Agrees to these scopes and answers the code. */
async function codeFor(scope: string): Promise<string> {
  const query = { client_id: application.client_id, redirect_uri: callback, response_type: "code", scope };
  const page = await browser.get(`/login/oauth/authorize?${new URLSearchParams(query).toString()}`);
  const location =
    page.location !== ""
      ? page.location
      : (
          await browser.post("/login/oauth/grant", {
            ...hiddenFields(page.text, "/login/oauth/grant"),
            decision: "allow",
          })
        ).location;
  return new URL(location).searchParams.get("code") ?? "";
}

async function send(fields: Record<string, string>): Promise<Answer> {
  const { client_id, client_secret } = application;
  const body = new URLSearchParams({ client_id, client_secret, redirect_uri: callback, ...fields });
  return (await fetch(`${app.url}/login/oauth/access_token`, { method: "POST", body })).json() as Promise<Answer>;
}

const exchange = (code: string) => send({ grant_type: "authorization_code", code });
const refresh = (refresh_token: string, fields: Record<string, string> = {}) =>
  send({ grant_type: "refresh_token", refresh_token, ...fields });
const tokensFor = async (scope: string) => exchange(await codeFor(scope));

test("tokens that allow more than a later, narrower consent end with it; those that allow less go on", async () => {
  const small = await tokensFor("read:user");
  const wide = await tokensFor("all");
  const waiting = await codeFor("all");
  const refreshed = await refresh((await tokensFor("all")).refresh_token);
  expect([wide["scope"], refreshed["scope"], small["scope"]]).toEqual(["all", "all", "read:user"]);

  const narrow = await tokensFor("openid");
  expect(narrow["scope"]).toBe("openid read:user");

  expect(await refresh(wide.refresh_token)).toMatchObject({ error: "invalid_grant" });
  expect(await refresh(wide.refresh_token, { scope: "all" })).toMatchObject({ error: "invalid_grant" });
  expect(await exchange(waiting)).toMatchObject({ error: "invalid_grant" });
  const status = async ({ access_token: token }: Answer) => (await app.withToken(token).get("/user")).status;
  expect([await status(wide), await status(refreshed), await status(small), await status(narrow)]).toEqual([
    401, 401, 200, 200,
  ]);
  expect((await app.withToken(narrow.access_token).get("/user/repos")).status).toBe(403);
  expect((await refresh(small.refresh_token))["scope"]).toBe("read:user");
  expect((await refresh(narrow.refresh_token))["scope"]).toBe("openid read:user");
});
