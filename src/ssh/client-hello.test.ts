import { describe, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { hearClient, readClientHello, type ClientHello } from "./client-hello.ts";

const line = "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n";

/** The message in which a client says what it can do. */
function kexInit(fromClient: string, toClient = fromClient): Buffer {
  const lists = ["curve25519-sha256", "ssh-ed25519", fromClient, toClient, "", "", "none", "none", "", ""];
  const strings = lists.map((list) => Buffer.concat([uint32(list.length), Buffer.from(list)]));
  const payload = Buffer.concat([Buffer.from([20]), Buffer.alloc(16, 1), ...strings, Buffer.alloc(5)]);
  const padding = Buffer.alloc(8);
  return Buffer.concat([uint32(1 + payload.length + padding.length), Buffer.from([padding.length]), payload, padding]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function hello(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

async function readAll(socket: Socket): Promise<string> {
  const { hasGcm } = await hearClient(socket);
  let text = "";
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString("latin1");
  }
  return `${hasGcm} ${text}`;
}

describe("the first bytes of a client", () => {
  test.each([
    ["chacha20-poly1305@openssh.com,aes128-ctr,aes256-gcm@openssh.com", undefined, true],
    ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", true],
    ["aes128-ctr,aes256-ctr", undefined, false],
    ["aes128-gcm@openssh.com", "aes128-ctr", false],
    ["aes128-gcm", undefined, false],
  ])("with the ciphers %s and %s: AES-GCM %p", (fromClient, toClient, hasGcm) => {
    expect(readClientHello(hello(line, kexInit(fromClient, toClient)))).toEqual({ hasGcm });
  });

  test("of OpenSSH are waited for until it has said what it can do", () => {
    const whole = hello(line, kexInit("aes128-gcm@openssh.com"));
    for (let length = 0; length < whole.length; length++) {
      expect(readClientHello(whole.subarray(0, length))).toBeNull();
    }
    expect(readClientHello(hello(whole, "more"))).toEqual({ hasGcm: true });
  });

  test.each([
    ["another program's", hello("SSH-2.0-libssh_0.10\r\n")],
    ["no line", Buffer.alloc(256, 0x41)],
    ["another protocol's", hello("GET / HTTP/1.1\r\n")],
    ["a message without end", hello(line, uint32(0x7fffffff))],
    ["another message", hello(line, uint32(12), Buffer.alloc(12, 2))],
    ["an empty message", hello(line, uint32(0))],
    ["lists that go on beyond the end", hello(line, uint32(30), Buffer.from([4, 20]), Buffer.alloc(28, 0xff))],
  ])("are left to the library when they are %s", (_, bytes) => {
    expect(readClientHello(bytes)).toEqual({ hasGcm: false });
  });

  test("are there again for the next who reads, however they come", async () => {
    const whole = hello(line, kexInit("aes128-gcm@openssh.com"), "what comes next");
    const heard = Promise.withResolvers<string>();
    const server = createServer((socket) => {
      heard.resolve(readAll(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const client: Socket = connect(port, "127.0.0.1");
    client.setNoDelay(true);
    for (const part of [whole.subarray(0, 10), whole.subarray(10, 60), whole.subarray(60)]) {
      await new Promise<void>((resolve) => client.write(part, () => resolve()));
    }
    client.end();
    expect(await heard.promise).toBe(`true ${whole.toString("latin1")}`);
    server.close();
  });

  test("do not come from a client that leaves", async () => {
    const heard = Promise.withResolvers<ClientHello>();
    const server = createServer((socket) => heard.resolve(hearClient(socket)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    connect(port, "127.0.0.1").end("SSH-2.0-OpenSSH_9.2\r\n");
    expect(await heard.promise).toEqual({ hasGcm: false });
    server.close();
  });
});
