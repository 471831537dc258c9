import { expect, test } from "bun:test";
import * as client from "openid-client";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, hiddenFields } from "../support/web-visitor.ts";

const app = await useTestApp();
const callback = "https://ci.example/authorize";

/** Lets a user allow what the client asks for, and answers where their browser is sent. */
async function allow(browser: WebVisitor, url: URL): Promise<URL> {
  const page = await browser.get(url.href);
  const answer = await browser.post("/login/oauth/grant", {
    ...hiddenFields(page.text, "/login/oauth/grant"),
    decision: "allow",
  });
  return new URL(answer.location);
}

test("openid-client finds everything by itself, signs a user in, checks the signature of the id token, reads who it is, refreshes and asks about tokens", async () => {
  const alice = await app.user("alice");
  const { client_id, client_secret } = (
    await alice.api.post<Record<"client_id" | "client_secret", string>>("/user/applications/oauth2", {
      name: "CI",
      redirect_uris: [callback],
      confidential_client: true,
    })
  ).body;
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  const config = await client.discovery(
    new URL(app.url),
    client_id,
    client_secret,
    client.ClientSecretBasic(client_secret),
    { execute },
  );

  const browser = new WebVisitor(app.url);
  await browser.signIn("alice", testPassword);
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: "openid profile email",
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
    nonce: expectedNonce,
  });
  const tokens = await client.authorizationCodeGrant(config, await allow(browser, url), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
  });
  expect(tokens.claims()).toMatchObject({
    iss: app.url,
    aud: client_id,
    sub: String(alice.id),
    preferred_username: "alice",
    email: "alice@example.com",
    nonce: expectedNonce,
  });

  const info = await client.fetchUserInfo(config, tokens.access_token, String(alice.id));
  expect(info.preferred_username).toBe("alice");
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
  expect(refreshed.access_token).not.toBe(tokens.access_token);
  expect(await client.tokenIntrospection(config, refreshed.access_token)).toMatchObject({
    active: true,
    username: "alice",
  });
  expect((await app.withToken(refreshed.access_token).get<{ login: string }>("/user")).body.login).toBe("alice");
});

test("of the key that signs only the public half is shown", async () => {
  const jwks = (await (await fetch(`${app.url}/login/oauth/keys`)).json()) as { keys: Record<string, unknown>[] };
  expect(jwks.keys.map((key) => Object.keys(key).sort())).toEqual([["alg", "e", "kid", "kty", "n", "use"]]);
});
