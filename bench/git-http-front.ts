/**
 * The smallest HTTP front for `git http-backend` (CGI, RFC 3875), for comparison with our server.
 * `bun bench/git-http-front.ts DIRECTORY` serves the bare repositories in DIRECTORY on a free port of the loopback
 * address, without asking who it is, and prints one line of JSON when it is ready: {"ready":true,"url"}.
 */
import { childEnvironment } from "./support/environment.ts";

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("Usage: bun bench/git-http-front.ts DIRECTORY");

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  // An idle limit would cut off a push while git checks it and says nothing.
  idleTimeout: 0,
  maxRequestBodySize: 16 * 1024 ** 3,
  fetch: (request) => backend(request, directory),
});
console.log(JSON.stringify({ ready: true, url: server.url.origin }));

async function backend(request: Request, root: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const header = (name: string): string => request.headers.get(name) ?? "";
  const child = Bun.spawn(["git", "http-backend"], {
    env: childEnvironment({
      GATEWAY_INTERFACE: "CGI/1.1",
      SERVER_PROTOCOL: "HTTP/1.1",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: header("content-type"),
      ...(request.headers.has("content-length") ? { CONTENT_LENGTH: header("content-length") } : {}),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      GIT_PROTOCOL: header("git-protocol"),
      REMOTE_USER: "bench",
      REMOTE_ADDR: "127.0.0.1",
    }),
    stdin: request.body ? "pipe" : "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  if (request.body && child.stdin) void feed(request.body, child.stdin);
  return cgiResponse(child.stdout);
}

async function feed(body: ReadableStream<Uint8Array>, input: Bun.FileSink): Promise<void> {
  try {
    for await (const chunk of body) {
      input.write(chunk);
      await input.flush();
    }
  } catch {
    // The backend may answer and end before it has read everything; its answer says why.
  } finally {
    await Promise.resolve(input.end()).catch(() => undefined);
  }
}

/** Splits a CGI program's output into headers and a body that is passed on as it comes. */
async function cgiResponse(output: ReadableStream<Uint8Array>): Promise<Response> {
  const reader = output.getReader();
  let head = Buffer.alloc(0);
  let end = -1;
  while (end === -1) {
    const { done, value } = await reader.read();
    if (done) return new Response("git http-backend gave no answer\n", { status: 502 });
    head = Buffer.concat([head, value]);
    end = head.indexOf("\r\n\r\n");
  }
  const headers = new Headers();
  let status = 200;
  for (const line of head.subarray(0, end).toString("latin1").split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "status") status = Number.parseInt(value, 10);
    else headers.append(name, value);
  }
  const rest = head.subarray(end + 4);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (rest.length > 0) controller.enqueue(rest);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  });
  return new Response(body, { status, headers });
}
