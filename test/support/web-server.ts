import { ApiClient } from "./client.ts";
import { StithyProcess } from "./stithy.ts";
import { testPassword } from "./test-app.ts";
import { makeWebContent, people, type Person } from "./web-content.ts";

/** A server in a process of its own with the content of web-content.ts. */
export interface WebServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Its data directory. */
  readonly data: string;
  /** People who call its API. */
  readonly clients: Readonly<Record<Person, ApiClient>>;
}

/** Starts an ephemeral server; mara administers it. Its users have `testPassword`. */
export async function startWebServer(): Promise<WebServer> {
  const tokenOf = (name: Person) => `${name}-token`;
  const seed = {
    users: people.map((username) => ({
      username,
      password: testPassword,
      admin: username === "mara",
      tokens: [{ name: "content", value: tokenOf(username), scopes: ["all"] }],
    })),
  };
  const server = new StithyProcess(["serve", "--ephemeral", "--port", "0", "--seed", JSON.stringify(seed)]);
  const { url, data } = await server.ready<{ url: string; data: string }>();
  const clients = Object.fromEntries(
    people.map((name) => [name, new ApiClient(url, { authorization: `token ${tokenOf(name)}` })]),
  ) as Record<Person, ApiClient>;
  await makeWebContent(clients);
  return {
    url,
    pid: server.pid,
    data,
    clients,
    async [Symbol.asyncDispose]() {
      await server.stop();
    },
  };
}
