import { describe, expect, test } from "bun:test";
import { rawRequest } from "../support/raw-request.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";

/** What no honest client sends: each is refused in a sentence, and none of it is a fault of the server. */

const app = await useTestApp({
  git: { push_limit_bytes: 1024 * 1024, push_timeout_seconds: 1 },
  auth: { failed_sign_ins_per_minute: 1000 },
});
const root = await app.admin("root");
const alice = await app.user("alice");
await app.repository(alice, "site");

describe("a body of JSON", () => {
  const message = async (body: string) => {
    const answer = await app.anonymous.request<{ message: string }>("POST", "/markdown", {
      headers: { "content-type": "application/json" },
      body,
    });
    return { status: answer.status, message: answer.body.message };
  };

  test("that is nested a million levels deep is refused, where the whole or a field is", async () => {
    const deep = "[".repeat(900_000) + "]".repeat(900_000);
    for (const body of [deep, `{"Text":${deep}}`]) {
      expect(await message(body)).toEqual({
        status: 422,
        message: "The body must not be nested deeper than 100 levels",
      });
    }
  });

  test("with a value that does not fit is answered with the beginning of the value", async () => {
    expect(await message(JSON.stringify({ Text: Array.from({ length: 90_000 }, () => 1) }))).toEqual({
      status: 422,
      message: `Text must be valid: expected string, not [${"1,".repeat(39)}1`,
    });
    expect(await message(JSON.stringify({ Mode: "x".repeat(1_000_000) }))).toEqual({
      status: 422,
      message: `Mode must be one of , markdown, gfm, comment, wiki, file, not "${"x".repeat(79)}`,
    });
  });

  test("of too many values is too large", async () => {
    expect(await message(`{${Array.from({ length: 60_000 }, (_, key) => `"k${key}":1`).join()}}`)).toEqual({
      status: 413,
      message:
        "The body has more than the 100000 keys and values that the server takes in one body: send it in several parts",
    });
  });
});

describe("a NUL or broken encoding", () => {
  test.each(["a\0b:c", "alice\0:c"])("in the name of Basic is a wrong credential: %j", async (pair) => {
    for (const path of ["/api/v1/user", "/alice/site/info/refs?service=git-upload-pack"]) {
      expect((await fetch(app.url + path, { headers: { authorization: `Basic ${btoa(pair)}` } })).status).toBe(401);
    }
  });

  test("in the name of Sudo is nobody's", async () => {
    expect((await root.api.get("/user?sudo=%00")).status).toBe(404);
    expect((await root.api.get("/user?sudo=alice%00")).status).toBe(404);
  });

  test.each(["/a%00b/c", "/alice/site%00", "/a%ffb/c", "/alice/%zz", "/alice/%ED%A0%80"])(
    "in a path of git is 400: %s",
    async (path) => {
      for (const [method, end] of [
        ["GET", "/info/refs?service=git-upload-pack"],
        ["POST", "/git-upload-pack"],
        ["POST", "/git-receive-pack"],
      ]) {
        const { status, text } = await rawRequest(
          app.url,
          `${method} ${path}${end} HTTP/1.1\r\nHost: git\r\nContent-Length: 0\r\n\r\n`,
        );
        expect({ status, type: /content-type: (.*)/i.exec(text)?.[1]?.trim() }).toEqual({
          status: 400,
          type: "text/plain; charset=utf-8",
        });
      }
    },
  );
});

test.each(["[", "a b", "x/api/v1/user?", "%zz", 'a"<b>', ""])("a Host that is none is 400: %j", async (host) => {
  for (const path of ["/api/v1/version", "/alice/site/info/refs?service=git-upload-pack"]) {
    const { status } = await rawRequest(app.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(status).toBe(400);
  }
});

test.each(["constructor", "__proto__", "toString", "git-upload-archive"])(
  "a service that is none is refused: %s",
  async (service) => {
    const headers = { authorization: `token ${alice.token}` };
    expect((await fetch(`${app.url}/alice/site/info/refs?service=${service}`, { headers })).status).toBe(403);
  },
);

describe("a gzipped body of git", () => {
  const send = (service: string, body: Uint8Array<ArrayBuffer>, token = alice.token) =>
    fetch(`${app.url}/alice/site/${service}`, {
      method: "POST",
      body,
      headers: {
        "content-type": `application/x-${service}-request`,
        "content-encoding": "gzip",
        authorization: `token ${token}`,
      },
    });

  test.each(["git-upload-pack", "git-receive-pack"])("that is no gzip, or cut off, is 400: %s", async (service) => {
    expect((await send(service, new TextEncoder().encode("not gzip"))).status).toBe(400);
    const packed = Bun.gzipSync(new TextEncoder().encode("0032want 1111111111111111111111111111111111111111\n0000"));
    expect((await send(service, packed.slice(0, 12))).status).toBe(400);
  });

  test("that unpacks to more than a push may have is not unpacked to its end", async () => {
    const line = `${"0".repeat(40)} ${"1".repeat(40)} refs/heads/x\0report-status`;
    const command = `${(line.length + 4).toString(16).padStart(4, "0")}${line}0000`;
    const piece = Bun.gzipSync(new Uint8Array(32 * 1024 * 1024));
    const bomb = Buffer.concat([
      Bun.gzipSync(new TextEncoder().encode(command)),
      ...Array<Uint8Array>(100).fill(piece),
    ]);
    expect(await (await send("git-receive-pack", bomb)).text()).toContain(
      "unpack A pack of more than 1048576 bytes is not accepted",
    );
  });
});

test("a push that does not arrive is given up", async () => {
  const head = `POST /alice/site/git-receive-pack HTTP/1.1\r\nHost: git\r\nAuthorization: token ${alice.token}\r\nContent-Type: application/x-git-receive-pack-request\r\nContent-Length: 1000\r\n\r\n0`;
  const { status, text } = await rawRequest(app.url, head);
  expect(status).toBe(408);
  expect(text).toContain("The push did not arrive within 1 seconds");
});

test("who asks for a fetch and sends nothing is not waited for longer than others", async () => {
  await using other = await TestApp.start({ server: { idle_timeout_seconds: 1 } });
  const bob = await other.user("bob");
  await other.repository(bob, "open");
  // The connection is closed without an answer; without the limit this waits for ever.
  const { text } = await rawRequest(
    other.url,
    "POST /bob/open/git-upload-pack HTTP/1.1\r\nHost: git\r\nContent-Type: application/x-git-upload-pack-request\r\nContent-Length: 1000\r\n\r\n0",
  );
  expect(text).toBe("");
});
