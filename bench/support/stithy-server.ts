import { resolve } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { ChildServer } from "./child-server.ts";

const readyLine = Type.Object({
  ready: Type.Literal(true),
  url: Type.String(),
  ssh: Type.String(),
  users: Type.Object({ root: Type.Object({ password: Type.String(), tokens: Type.Object({ bench: Type.String() }) }) }),
});

const seed = { users: [{ username: "root", admin: true, tokens: [{ name: "bench", scopes: ["all"] }] }] };

export interface StithyServer extends AsyncDisposable {
  pid: number;
  /** without a slash at the end */
  url: string;
  /** the same for SSH */
  ssh: string;
  /** Of the user root. */
  password: string;
  token: string;
  readyMs: number;
  /** Creates an empty repository of root's; its URL for git, with the token in it. */
  createRepository(name: string, defaultBranch: string): Promise<string>;
}

/**
 * Starts the forge with an empty temporary data directory: from source, or the executable `binary`. `within` may put the
 * command that does so into another one.
 */
export async function startStithy(binary: string | null, env: Readonly<Record<string, string>> = {}, within = (command: string[]): string[] => command): Promise<StithyServer> {
  const program = binary === null ? [process.execPath, "src/main.ts"] : [resolve(binary)];
  const server = await ChildServer.start(within([...program, "serve", "--ephemeral", "--port", "0", "--seed", JSON.stringify(seed)]), env);
  const { url: given, ssh, users } = Value.Parse(readyLine, server.ready);
  const url = given.replace(/\/$/, "");
  const token = users.root.tokens.bench;
  return {
    pid: server.pid,
    url,
    ssh,
    password: users.root.password,
    token,
    readyMs: server.readyMs,
    async createRepository(name, defaultBranch) {
      const response = await fetch(`${url}/api/v1/user/repos`, {
        method: "POST",
        headers: { authorization: `token ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name, default_branch: defaultBranch }),
      });
      if (response.status !== 201) throw new Error(`Repository "${name}" could not be created: ${response.status} ${await response.text()}`);
      return `${url.replace("://", `://root:${token}@`)}/root/${name}.git`;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
