import { join } from "node:path";

export interface BackendOptions {
  /** Where bare repositories lie. */
  root: string;
  /** Who may come in; unset: everybody, also for pushes. */
  credentials?: { username: string; password: string };
}

/** Git's own server over HTTP (`git http-backend`), as a stranger's forge: what we fetch from and push to in tests. */
export class GitHttpBackend implements AsyncDisposable {
  /** The requests that came, such as `GET /x.git/info/refs`. */
  readonly requests: string[] = [];
  /** Answers in the place of git, where it returns something. */
  intercept: (request: Request) => Response | null | Promise<Response | null> = () => null;
  private readonly server: ReturnType<typeof Bun.serve>;

  constructor(private readonly options: BackendOptions) {
    this.server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 120,
      fetch: (request) => this.answer(request),
    });
  }

  /** Without a final slash. */
  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    const other = await this.intercept(request);
    if (other !== null) {
      return other;
    }
    const { credentials, root } = this.options;
    if (credentials !== undefined) {
      const wanted = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;
      if (request.headers.get("authorization") !== wanted) {
        return new Response("who are you?", { status: 401, headers: { "www-authenticate": "Basic" } });
      }
    }
    const body = new Uint8Array(await request.arrayBuffer());
    const git = Bun.spawn(["git", "http-backend"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: root,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: request.method,
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers.get("content-type") ?? "",
        CONTENT_LENGTH: String(body.length),
        REMOTE_USER: "someone",
        REMOTE_ADDR: "127.0.0.1",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "http.receivepack",
        GIT_CONFIG_VALUE_0: "true",
      },
      cwd: root,
      stdin: body,
      stdout: "pipe",
      stderr: "ignore",
    });
    const output = Buffer.from(await new Response(git.stdout).arrayBuffer());
    const end = output.indexOf("\r\n\r\n");
    const headers = new Headers();
    let status = 200;
    for (const line of output.subarray(0, end).toString("latin1").split("\r\n")) {
      const [, name = "", value = ""] = /^([^:]+): *(.*)$/.exec(line) ?? [];
      if (name.toLowerCase() === "status") {
        status = Number.parseInt(value, 10);
      } else if (name !== "") {
        headers.set(name, value);
      }
    }
    return new Response(output.subarray(end + 4), { status, headers });
  }

  /** The directory of a bare repository. */
  directory(name: string): string {
    return join(this.options.root, name);
  }
}
