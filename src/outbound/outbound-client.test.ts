import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { AddressPolicy } from "./address-policy.ts";
import { OutboundClient, type OutboundRequest } from "./outbound-client.ts";

const openssl = Bun.which("openssl");
if (openssl === null) {
  console.log("LEFT OUT: the certificates of other servers, because there is no openssl to make one with");
}

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** A server that does with each connection what it is told, once a request has come. Returns its port. */
async function listen(answer: (socket: Socket, request: string) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (bytes) => answer(socket, bytes.toString("latin1")));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  stack.defer(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return (server.address() as { port: number }).port;
}

const respond =
  (status: string, body = "", headers = "") =>
  (socket: Socket) =>
    socket.end(`HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);

/** Names as a name server gives them; the loopback address stands for a public one. */
const names: Record<string, string[]> = {
  "good.example": ["127.0.0.1"],
  "other.example": ["127.0.0.1"],
  "two.example": ["127.0.0.1", "127.0.0.2"],
  "private.example": ["10.0.0.1"],
  "none.example": [],
};

function client(options: { allowed?: string[]; proxy?: string; trusted?: string } = {}) {
  const asked: string[] = [];
  const outbound = new OutboundClient({
    policy: new AddressPolicy(options.allowed ?? ["127.0.0.1"]),
    proxy: options.proxy ?? "",
    mayBypassProxy: false,
    userAgent: "test/1",
    ...(options.trusted === undefined ? {} : { trusted: options.trusted }),
    async resolve(host) {
      asked.push(host);
      const addresses = names[host];
      if (addresses === undefined) {
        throw new Error("ENOTFOUND");
      }
      return addresses;
    },
  });
  return { outbound, asked };
}

const get = (url: string, rest: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: "GET",
  url,
  redirects: 3,
  totalMs: 20_000,
  maxBytes: 1000,
  ...rest,
});

const thrown = (promise: Promise<unknown>) => promise.then(() => "nothing was thrown", String);

describe("an address is refused before anything is sent", () => {
  const { outbound } = client({ allowed: [] });
  const setting = "an administrator can allow its network in outbound.allowed_networks";
  for (const [url, why] of [
    ["not a url", `AddressRefused: "not a url" is not an http or https address`],
    ["file:///etc/passwd", `AddressRefused: "file:///etc/passwd" is not an http or https address`],
    ["gopher://good.example/", `AddressRefused: "gopher://good.example/" is not an http or https address`],
    ["ftp://me:secret@good.example/", `AddressRefused: "ftp://good.example/" is not an http or https address`],
    ["http://", `AddressRefused: "http://" is not an http or https address`],
    [
      "http://me:secret@good.example/",
      `AddressRefused: The address of "good.example" has credentials in it; send them in a header`,
    ],
    [
      "http://127.0.0.1/",
      `AddressRefused: The server does not call "127.0.0.1": it is not a public address; ${setting}`,
    ],
    [
      "http://2130706433/",
      `AddressRefused: The server does not call "127.0.0.1": it is not a public address; ${setting}`,
    ],
    ["http://0x7f.1/", `AddressRefused: The server does not call "127.0.0.1": it is not a public address; ${setting}`],
    [
      "http://017700000001/",
      `AddressRefused: The server does not call "127.0.0.1": it is not a public address; ${setting}`,
    ],
    ["http://[::1]/", `AddressRefused: The server does not call "::1": it is not a public address; ${setting}`],
    [
      "http://[::ffff:127.0.0.1]/",
      `AddressRefused: The server does not call "::ffff:7f00:1": it is not a public address; ${setting}`,
    ],
    [
      "http://localhost/",
      `AddressRefused: The server does not call "localhost": it leads to an address that is not public; ${setting}`,
    ],
    [
      "http://a.localhost./",
      `AddressRefused: The server does not call "a.localhost.": it leads to an address that is not public; ${setting}`,
    ],
    [
      "http://private.example/",
      `AddressRefused: The server does not call "private.example": it leads to an address that is not public; ${setting}`,
    ],
  ] as const) {
    test(url, async () => {
      expect(await thrown(outbound.send(get(url)))).toBe(why);
    });
  }

  test("a name of which one of two addresses is private", async () => {
    let connections = 0;
    const port = await listen(() => connections++);
    const refused = await thrown(client().outbound.send(get(`http://two.example:${port}/`)));
    expect(refused).toContain('does not call "two.example": it leads to an address that is not public');
    expect(connections).toBe(0);
  });

  test("a name that nobody knows, or that has no address", async () => {
    expect(await thrown(outbound.send(get("http://unknown.example/")))).toBe(
      'OutboundFailed: The host "unknown.example" could not be resolved',
    );
    expect(await thrown(outbound.send(get("http://none.example/")))).toBe(
      'OutboundFailed: The host "none.example" has no address',
    );
  });
});

describe("a call", () => {
  test("resolves a name once, and connects to what was checked with the name as its host", async () => {
    let seen = "";
    const port = await listen((socket, request) => {
      seen = request;
      respond("200 OK", "hello", "x-mine: yes\r\n")(socket);
    });
    const { outbound, asked } = client();
    const url = `http://good.example:${port}/path?a=b#part`;
    const answer = await outbound.send(get(url, { method: "POST", body: "data", headers: { "x-a": "1" } }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-mine")).toBe("yes");
    expect(answer.url).toBe(url);
    expect(await new Response(answer.body).text()).toBe("hello");
    expect(asked).toEqual(["good.example"]);
    expect(seen).toStartWith("POST /path?a=b HTTP/1.1\r\n");
    expect(seen.toLowerCase()).toContain(`\r\nhost: good.example:${port}\r\n`);
    expect(seen.toLowerCase()).toContain("\r\nuser-agent: test/1\r\n");
    expect(seen.toLowerCase()).toContain("\r\nx-a: 1\r\n");
    expect(seen).toEndWith("\r\n\r\ndata");
  });

  test("sends a stream, and gives back what was compressed as it is", async () => {
    const compressed = Bun.gzipSync("some text");
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) =>
        new Response(compressed, {
          headers: { "content-encoding": "gzip", "x-length": String((await request.bytes()).length) },
        }),
    });
    stack.defer(() => server.stop(true));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(70_000));
        controller.enqueue(new Uint8Array(5));
        controller.close();
      },
    });
    const answer = await client().outbound.send(get(server.url.href, { method: "POST", body, idleMs: 10_000 }));
    expect(answer.headers.get("x-length")).toBe("70005");
    expect(await new Response(answer.body).bytes()).toEqual(compressed);
  });

  test.if(openssl !== null)("verifies a certificate for the name and not for the address", async () => {
    const { certificate, key } = await selfSigned("good.example");
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      tls: { cert: certificate, key },
      fetch: () => new Response("safe"),
    });
    stack.defer(() => server.stop(true));
    const { outbound } = client({ trusted: certificate });
    const answer = await outbound.send(get(`https://good.example:${server.port}/`));
    expect(await new Response(answer.body).text()).toBe("safe");
    for (const [trusting, host, why] of [
      [outbound, "other.example", "ERR_TLS_CERT_ALTNAME_INVALID"],
      [outbound, "127.0.0.1", "ERR_TLS_CERT_ALTNAME_INVALID"],
      [client().outbound, "good.example", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ] as const) {
      expect(await thrown(trusting.send(get(`https://${host}:${server.port}/`)))).toContain(
        `"${host}:${server.port}" could not be reached: ${why}`,
      );
    }
  });

  test("goes through a proxy, which is told the checked address", async () => {
    const seen: string[] = [];
    const proxy = await listen((socket, request) => {
      seen.push(request);
      respond("200 OK", "from the proxy")(socket);
    });
    const { outbound, asked } = client({ proxy: `http://127.0.0.1:${proxy}` });
    const answer = await outbound.send(get("http://good.example:81/x"));
    expect(await new Response(answer.body).text()).toBe("from the proxy");
    expect(seen[0]).toStartWith("GET http://127.0.0.1:81/x HTTP/1.1\r\n");
    expect(seen[0]?.toLowerCase()).toContain("\r\nhost: good.example:81\r\n");
    await thrown(outbound.send(get("https://good.example:444/")));
    expect(seen[1]).toStartWith("CONNECT 127.0.0.1:444 HTTP/1.1\r\n");
    expect(asked).toEqual(["good.example", "good.example"]);
    expect(await thrown(outbound.send(get("http://private.example/")))).toContain(
      "leads to an address that is not public",
    );
    expect(seen).toHaveLength(2);
  });
});

describe("a redirect", () => {
  const redirect = (location: string, status = 307) => listen(respond(`${status} R`, "", `location: ${location}\r\n`));

  test("is checked as the first address was", async () => {
    const { outbound } = client();
    for (const [location, why] of [
      ["http://127.0.0.2/", 'does not call "127.0.0.2"'],
      ["http://private.example/", "leads to an address that is not public"],
      ["http://2130706434/", 'does not call "127.0.0.2"'],
      ["http://[::ffff:169.254.169.254]/", 'does not call "::ffff:a9fe:a9fe"'],
      ["//two.example/", "leads to an address that is not public"],
      ["http://me:secret@good.example/", "has credentials in it"],
      ["file:///etc/passwd", "is not an http or https address"],
      ["http://", "redirects to what is no address"],
    ] as const) {
      const port = await redirect(location);
      expect([location, await thrown(outbound.send(get(`http://good.example:${port}/`)))]).toEqual([
        location,
        expect.stringContaining(why),
      ]);
    }
  });

  test("is followed with method and body, and to another origin without credentials", async () => {
    let seen = "";
    const end = await listen((socket, request) => {
      seen = request;
      respond("200 OK")(socket);
    });
    const { outbound, asked } = client();
    const headers = { authorization: "Bearer secret", cookie: "a=b", "x-kept": "1" };
    const port = await redirect(`http://other.example:${end}/end`, 308);
    const answer = await outbound.send(get(`http://good.example:${port}/`, { method: "POST", body: "text", headers }));
    expect([answer.status, answer.url]).toEqual([200, `http://other.example:${end}/end`]);
    expect(seen).toStartWith("POST /end HTTP/1.1\r\n");
    expect(seen).toEndWith("text");
    expect(seen).toContain("x-kept: 1");
    expect(seen).not.toMatch(/secret|cookie/i);
    expect(asked).toEqual(["good.example", "other.example"]);
  });

  test("is the answer when it would change the method, when a stream was sent, or after the last one", async () => {
    const { outbound } = client();
    const found = await redirect("http://other.example/", 302);
    const post = await outbound.send(get(`http://good.example:${found}/`, { method: "POST", body: "text" }));
    expect(post.status).toBe(302);
    const kept = await redirect("http://other.example/");
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
    expect((await outbound.send(get(`http://good.example:${kept}/`, { method: "POST", body }))).status).toBe(307);
    let times = 0;
    const port: number = await listen((socket) => {
      times++;
      respond("302 Found", "", `location: http://good.example:${port}/\r\n`)(socket);
    });
    expect((await outbound.send(get(`http://good.example:${port}/`, { redirects: 2 }))).status).toBe(302);
    expect(times).toBe(3);
  });
});

describe("limits", () => {
  const { outbound } = client();
  const read = async (request: OutboundRequest) => new Response((await outbound.send(request)).body).text();

  test("a server that never answers, in all and without a byte", async () => {
    const port = await listen(() => {});
    expect(await thrown(read(get(`http://good.example:${port}/`, { totalMs: 50 })))).toBe(
      "OutboundFailed: The answer took longer than 0.05 seconds",
    );
    expect(await thrown(read(get(`http://good.example:${port}/`, { idleMs: 50 })))).toBe(
      "OutboundFailed: Nothing came for 0.05 seconds",
    );
  });

  test("a server that trickles a body for ever", async () => {
    const port = await listen((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const timer = setInterval(() => socket.write("1\r\na\r\n"), 5);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await thrown(read(get(`http://good.example:${port}/`, { totalMs: 300 })))).toBe(
      "OutboundFailed: The answer took longer than 0.3 seconds",
    );
  });

  test("a server that trickles a body more slowly than it may, and one that does not", async () => {
    const trickle = (bytes: number) => (socket: Socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const chunk = `${bytes.toString(16)}\r\n${"a".repeat(bytes)}\r\n`;
      let left = 100;
      const timer = setInterval(() => socket.write(left-- > 0 ? chunk : "0\r\n\r\n"), 5);
      socket.on("close", () => clearInterval(timer));
    };
    const progress = { bytes: 1000, ms: 200 };
    const slow = await listen(trickle(1));
    expect(await thrown(read(get(`http://good.example:${slow}/`, { progress })))).toMatch(
      /^OutboundFailed: Only \d+ bytes came or went in 0.2 seconds; 1000 are the least$/,
    );
    const quick = await listen(trickle(2000));
    expect((await read(get(`http://good.example:${quick}/`, { progress, maxBytes: 200_000 }))).length).toBe(200_000);
  });

  test("a body beyond the limit", async () => {
    const port = await listen(respond("200 OK", "a".repeat(1001)));
    expect(await thrown(read(get(`http://good.example:${port}/`)))).toBe(
      "OutboundFailed: The answer is larger than the limit of 1000 bytes",
    );
  });

  test("a reset, a refusal, an answer that is none and one that breaks off", async () => {
    const reset = await listen((socket) => socket.resetAndDestroy());
    expect(await thrown(read(get(`http://good.example:${reset}/`)))).toContain(
      "could not be reached: the connection was",
    );
    expect(await thrown(read(get(`http://good.example:1/`)))).toContain(
      "could not be reached: the connection was refused",
    );
    const babble = await listen((socket) => socket.end("what?\r\n\r\n"));
    expect(await thrown(read(get(`http://good.example:${babble}/`)))).toContain("could not be reached: ");
    const short = await listen((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"));
    expect(await thrown(read(get(`http://good.example:${short}/`)))).toContain("OutboundFailed: ");
  });

  test("a call that the caller cancels", async () => {
    const cancelling = new AbortController();
    const port = await listen(() => cancelling.abort());
    expect(await thrown(read(get(`http://good.example:${port}/`, { signal: cancelling.signal })))).toBe(
      "OutboundFailed: The call was cancelled",
    );
  });
});

async function selfSigned(name: string): Promise<{ certificate: string; key: string }> {
  const made = Bun.spawn(
    `${openssl} req -x509 -newkey rsa:2048 -nodes -keyout - -days 2 -subj /CN=${name} -addext subjectAltName=DNS:${name}`.split(
      " ",
    ),
    { stderr: "ignore" },
  );
  const text = await new Response(made.stdout).text();
  const part = (label: RegExp) => text.match(label)?.[0] ?? "";
  return {
    key: part(/-----BEGIN PRIVATE KEY-----[^]*?-----END PRIVATE KEY-----/),
    certificate: part(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/),
  };
}
