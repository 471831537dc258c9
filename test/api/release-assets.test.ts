import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { collectBlobs } from "../../src/domain/git/blobs/collect-blobs.ts";
import { Scratch } from "../support/git.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

interface AssetJson {
  id: number;
  uuid: string;
  name: string;
  size: number;
  download_count: number;
  browser_download_url: string;
  type: string;
  message: string;
}

const MiB = 1024 * 1024;
const app = await useTestApp({
  attachments: { file_limit_bytes: 8 * MiB, files: 20, upload_timeout_seconds: 2 },
});
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site", { auto_init: true });
await app.repository(alice, "secret", { auto_init: true, private: true });
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());

let release = 0;
let at = "";

beforeAll(async () => {
  release = (await alice.api.post<{ id: number }>("/repos/alice/site/releases", { tag_name: "v1" })).body.id;
  at = `/repos/alice/site/releases/${release}/assets`;
});

function formOf(parts: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    form.append(name, value);
  }
  return form;
}

/** Sends a form; the answer is JSON, whatever its status. */
async function sendForm(path: string, form: FormData | string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `token ${alice.token}`, ...headers },
    body: form,
  });
  return { status: response.status, body: (await response.json()) as AssetJson };
}

async function sendRaw(name: string, content: string | Uint8Array, path = at) {
  const { status, body } = await alice.api.request<AssetJson>("POST", `${path}?name=${encodeURIComponent(name)}`, {
    body: content,
    headers: { "content-type": "application/octet-stream" },
  });
  return { status, body };
}

const add = async (name: string, content: string | Uint8Array, path = at) => (await sendRaw(name, content, path)).body;
const open = (address: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(address, { method, headers, redirect: "manual" });

/** Files that are stored or being written, and rows that refer to them. */
async function stored() {
  const [row] = await app.forge.database.sql<
    { files: number; references: number; bytes: number }[]
  >`select (select count(*)::integer from attachment) as files, count(*)::integer as references, coalesce(sum(bytes), 0)::integer as bytes
    from blob_reference where kind = 'release-attachment'`;
  return { ...row, unfinished: readdirSync(join(app.forge.config.dataDirectory, "tmp")).length };
}

/** Does something that must leave nothing behind. */
async function leavesNothing(work: () => Promise<void>): Promise<void> {
  const before = await stored();
  await work();
  expect(await stored()).toEqual(before);
}

describe("who may", () => {
  test("only those who may write releases send, rename and delete files", async () => {
    const asset = await add("kept.txt", "kept");
    const reader = await app.scoped(alice, "read:repository");
    await leavesNothing(async () => {
      for (const [method, path, body] of [
        ["POST", "?name=x", "content"],
        ["PATCH", `/${asset.id}`, { name: "x" }],
        ["DELETE", `/${asset.id}`, undefined],
      ] as const) {
        const options = body === undefined ? {} : { body };
        expect([method, (await app.anonymous.request(method, at + path, options)).status]).toEqual([method, 401]);
        expect([method, (await bob.api.request(method, at + path, options)).status]).toEqual([method, 403]);
        expect([method, (await reader.request(method, at + path, options)).status]).toEqual([method, 403]);
      }
    });
    expect((await app.anonymous.get<AssetJson>(`${at}/${asset.id}`)).body.name).toBe("kept.txt");
  });

  test("a file is as private as its repository, at every address", async () => {
    const { body: made } = await alice.api.post<{ id: number }>("/repos/alice/secret/releases", { tag_name: "v1" });
    const there = `/repos/alice/secret/releases/${made.id}/assets`;
    const asset = await add("plan.txt", "hidden", there);
    const addresses = [
      asset.browser_download_url,
      `${app.url}/attachments/${asset.uuid}`,
      `${app.url}/alice/secret/releases/download/v1/plan.txt`,
    ];
    const own = { authorization: `token ${alice.token}` };
    const publicOnly = await app.scoped(alice, "public-only", "read:repository");
    for (const address of addresses) {
      expect([address, await (await open(address, own)).text()]).toEqual([address, "hidden"]);
      for (const headers of [{}, { authorization: `token ${bob.token}` }]) {
        const { status, headers: sent } = await open(address, headers);
        expect([address, status, sent.get("etag")]).toEqual([address, 404, null]);
      }
    }
    const path = asset.browser_download_url.slice(`${app.url}/api/v1`.length);
    expect((await publicOnly.fetch("GET", path)).status).toBe(404);
    const { body: restricted } = await app.withPassword("alice").post<{ sha1: string }>("/users/alice/tokens", {
      name: "site only",
      scopes: ["read:repository"],
      repositories: ["alice/site"],
    });
    const elsewhere = { authorization: `token ${restricted.sha1}` };
    expect((await open(`${app.url}/attachments/${asset.uuid}`, elsewhere)).status).toBe(404);
    const unscoped = { authorization: `token ${await app.token(alice, ["read:user"])}` };
    expect((await open(`${app.url}/attachments/${asset.uuid}`, unscoped)).status).toBe(403);
    const absent = crypto.randomUUID();
    const [hidden, missing] = await Promise.all(
      [asset.uuid, absent].map(async (uuid) => (await open(`${app.url}/attachments/${uuid}`)).text()),
    );
    expect(hidden?.replace(asset.uuid, absent)).toBe(missing ?? "");
    for (const [uuid, status] of [
      ["x", 404],
      [`${absent}0`, 404],
      ["%00", 400],
      ["%FF", 400],
    ] as const) {
      expect([uuid, (await open(`${app.url}/attachments/${uuid}`)).status]).toEqual([uuid, status]);
    }
  });

  test("the files of a draft are for those who may write releases", async () => {
    const { body: draft } = await alice.api.post<{ id: number }>("/repos/alice/site/releases", {
      tag_name: "draft",
      draft: true,
    });
    const there = `/repos/alice/site/releases/${draft.id}/assets`;
    const asset = await add("early.txt", "early", there);
    const { status, body } = await app.anonymous.get(`${there}/${asset.id}`);
    expect([status, body]).toMatchObject([404, { message: `There is no release "${draft.id}"` }]);
    for (const address of [asset.browser_download_url, `${app.url}/attachments/${asset.uuid}`]) {
      expect((await open(address)).status).toBe(404);
      expect((await open(address, { authorization: `token ${bob.token}` })).status).toBe(404);
      expect(await (await open(address, { authorization: `token ${alice.token}` })).text()).toBe("early");
    }
    const byName = `${app.url}/alice/site/releases/download/draft/early.txt`;
    expect((await open(byName)).status).toBe(404);
    await alice.api.patch(`/repos/alice/site/releases/${draft.id}`, { draft: false });
    expect(await (await open(byName)).text()).toBe("early");
    expect(await (await open(asset.browser_download_url)).text()).toBe("early");
    await alice.api.delete(`/repos/alice/site/releases/${draft.id}`);
  });
});

describe("send", () => {
  test("the body itself, whole", async () => {
    const { status, body } = await sendRaw("notes é.txt", "some notes");
    expect(status).toBe(201);
    expect(redact(body) as object).toEqual({
      ...(redact(body) as object),
      browser_download_url: `<url>/api/v1${at}/${body.id}/content`,
      created_at: "<time>",
      download_count: 0,
      name: "notes é.txt",
      size: 10,
      type: "attachment",
    });
    expect((await app.anonymous.get<AssetJson>(`${at}/${body.id}`)).body).toEqual(body);
    const { body: json } = await app.anonymous.get<{ assets: AssetJson[] }>(`/repos/alice/site/releases/${release}`);
    expect(json.assets).toContainEqual(body);
    expect(await (await open(body.browser_download_url)).text()).toBe("some notes");
  });

  test("a part of a form, under its own name or another one", async () => {
    const content = crypto.getRandomValues(new Uint8Array(3 * MiB + 7));
    for (const [name, path, extra] of [
      ["own name.bin", at, {}],
      ["asked.bin", `${at}?name=asked.bin`, {}],
      ["field.bin", at, { name: "field.bin" }],
      ["asked.bin", `${at}?name=asked.bin`, { name: "field.bin", other: "ignored" }],
    ] as const) {
      const { status, body } = await sendForm(
        path,
        formOf({ ...extra, attachment: new File([content], "own name.bin") }),
      );
      expect([status, body.name, body.size]).toEqual([201, name, content.length]);
      expect(Buffer.compare(await (await open(body.browser_download_url)).bytes(), content)).toBe(0);
      await alice.api.delete(`${at}/${body.id}`);
    }
  });

  test("with curl, as everybody does", async () => {
    const path = scratch.join("made by curl.txt");
    writeFileSync(path, "curled");
    const curl = async (...args: string[]) =>
      JSON.parse(await Bun.$`curl -s -H ${`Authorization: token ${alice.token}`} ${args}`.text()) as AssetJson;
    const formed = await curl("-F", `attachment=@${path}`, `${app.url}/api/v1${at}`);
    expect(formed).toMatchObject({ name: "made by curl.txt", size: 6 });
    const raw = await curl("--data-binary", `@${path}`, `${app.url}/api/v1${at}?name=raw.txt`);
    expect(raw).toMatchObject({ name: "raw.txt", size: 6 });
    expect(await Bun.$`curl -s -r 2-4 ${raw.browser_download_url}`.text()).toBe("rle");
    const external = await curl("-F", "external_url=https://example.org/some/file.zip", `${app.url}/api/v1${at}`);
    expect(external).toMatchObject({
      name: "file.zip",
      size: 0,
      type: "external",
      browser_download_url: "https://example.org/some/file.zip",
    });
    expect((await open(`${app.url}/api/v1${at}/${external.id}/content`)).status).toBe(404);
    expect((await open(`${app.url}/attachments/${external.uuid}`)).status).toBe(404);
    for (const { id } of [formed, raw, external]) {
      await alice.api.delete(`${at}/${id}`);
    }
  });

  test("nothing without a name, a file or a place", () =>
    leavesNothing(async () => {
      const attachment = new File(["x"], "x.txt");
      expect((await alice.api.request("POST", at, { body: "content" })).status).toBe(400);
      expect((await alice.api.request("POST", `${at}?name=x`)).status).toBe(400);
      for (const name of ["..", "a/b", "a\\b", "a\u0007", "x".repeat(256)]) {
        expect([name, (await sendRaw(name, "content")).status]).toEqual([name, 400]);
        expect([name, (await sendForm(at, formOf({ attachment, name }))).status]).toEqual([name, 400]);
      }
      for (const [parts, message] of [
        [{}, "not neither"],
        [{ other: "x" }, "not neither"],
        [{ attachment, external_url: "https://example.org/x" }, "not both"],
        [{ external_url: "javascript:alert(1)" }, 'not "javascript:alert(1)"'],
        [{ external_url: "https://user:word@example.org/" }, "without a password"],
      ] as const) {
        const { status, body } = await sendForm(at, formOf(parts));
        expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
      }
      const two = formOf({ attachment });
      two.append("attachment", new File(["y"], "y.txt"));
      const { status, body } = await sendForm(at, two);
      expect([status, body.message]).toEqual([
        400,
        "The body cannot be read: the form has more than one file as attachment",
      ]);
      expect((await sendRaw("x", "x", "/repos/alice/site/releases/999999/assets")).status).toBe(404);
      const encoded = { "content-encoding": "gzip", "content-type": "application/octet-stream" };
      expect((await alice.api.request("POST", `${at}?name=x`, { body: "x", headers: encoded })).status).toBe(400);
    }));

  test("no form that is cut off, or that is none", () =>
    leavesNothing(async () => {
      const type = { "content-type": "multipart/form-data; boundary=frontier" };
      const part = '--frontier\r\ncontent-disposition: form-data; name="attachment"; filename="x"\r\n\r\n';
      for (const form of [
        part,
        `${part}content`,
        `${part}content\r\n--frontier`,
        `${part}content\r\n--frontier\r\ncontent-disposition: form-data; name="name"\r\n\r\nabc`,
        "no form",
        `--frontier\r\n${"x-header: a\r\n".repeat(10_000)}\r\ncontent\r\n--frontier--\r\n`,
        `${'--frontier\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n'.repeat(100)}--frontier--\r\n`,
        `--frontier\r\ncontent-disposition: form-data; name="name"\r\n\r\n${"x".repeat(100_000)}\r\n--frontier--\r\n`,
      ]) {
        const { status, body } = await sendForm(at, form, type);
        expect([form.slice(-40), status, body.message]).toEqual([
          form.slice(-40),
          400,
          expect.stringMatching(/^The (?:body cannot be read|form must)/),
        ]);
      }
      for (const unclear of ["multipart/form-data", "multipart/form-data; boundary="]) {
        expect((await sendForm(at, "x", { "content-type": unclear })).status).toBe(400);
      }
    }));

  test("nothing that is larger than a file may be, however it is sent", () =>
    leavesNothing(async () => {
      const large = new Uint8Array(8 * MiB + 1);
      const message = `A file of more than ${8 * MiB} bytes is not accepted`;
      expect(await sendRaw("large", large)).toMatchObject({ status: 413, body: { message } });
      const chunked = new ReadableStream({
        pull(controller) {
          controller.enqueue(large.subarray(0, MiB));
        },
      });
      const raw = await alice.api.fetch("POST", `${at}?name=large`, { body: chunked });
      expect([raw.status, ((await raw.json()) as AssetJson).message]).toEqual([413, message]);
      expect(await sendForm(at, formOf({ attachment: new File([large], "large") }))).toMatchObject({
        status: 413,
        body: { message },
      });
    }));

  test.each([
    ["its body", "application/octet-stream", ""],
    [
      "a form",
      "multipart/form-data; boundary=b",
      '--b\r\ncontent-disposition: form-data; name="attachment"; filename="x"\r\n\r\n',
    ],
  ])("nothing of %s that is shorter than it said, or that comes too slowly", async (_, type, begin) => {
    const { hostname, port, host } = new URL(app.url);
    const send = () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      socket.write(
        `POST /api/v1${at}?name=short HTTP/1.1\r\nhost: ${host}\r\nauthorization: token ${alice.token}\r\n` +
          `content-type: ${type}\r\ncontent-length: 100000\r\n\r\n${begin}content`,
      );
      return socket;
    };
    const before = await stored();
    const isArriving = async () => (await stored()).unfinished > before.unfinished;
    const isGone = async () => !(await isArriving());
    const leaving = send();
    await until("the file arrives", isArriving);
    leaving.destroy();
    await until("nothing of it is left", isGone);
    expect(await stored()).toEqual(before);
    const slow = send();
    let answer = "";
    slow.on("data", (bytes) => (answer += bytes.toString("latin1")));
    await until("the server has waited long enough", () => answer.includes("did not arrive within 2 seconds"));
    expect(answer).toStartWith("HTTP/1.1 408");
    slow.destroy();
    await until("nothing of it is left", isGone);
    expect(await stored()).toEqual(before);
  });

  test("no more files than a release may have", async () => {
    const { body: full } = await alice.api.post<{ id: number }>("/repos/alice/site/releases", { tag_name: "full" });
    const there = `/repos/alice/site/releases/${full.id}/assets`;
    const statuses = await Promise.all(
      Array.from({ length: 22 }, async (_, index) => (await sendRaw(`${index}`, `${index}`, there)).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect((await sendRaw("more", "more", there)).body.message).toBe("A release may have 20 files, and no more");
    await alice.api.delete(`/repos/alice/site/releases/${full.id}`);
  });
});

describe("rename and delete", () => {
  test("a file gets another name, one elsewhere another address", async () => {
    const asset = await add("before.txt", "content");
    const renamed = await alice.api.patch<AssetJson>(`${at}/${asset.id}`, { name: "after.txt" });
    expect([renamed.status, renamed.body]).toEqual([201, { ...asset, name: "after.txt" }]);
    expect((await alice.api.patch<AssetJson>(`${at}/${asset.id}`, { name: "" })).body.name).toBe("after.txt");
    expect((await alice.api.patch(`${at}/${asset.id}`, { name: "a/b" })).status).toBe(400);
    expect((await alice.api.patch(`${at}/${asset.id}`, { browser_download_url: "https://example.org/" })).status).toBe(
      400,
    );
    const { body: external } = await sendForm(at, formOf({ external_url: "https://example.org/a", name: "elsewhere" }));
    const moved = await alice.api.patch<AssetJson>(`${at}/${external.id}`, {
      browser_download_url: "https://example.org/b",
    });
    expect(moved.body).toEqual({ ...external, browser_download_url: "https://example.org/b" });
    expect((await alice.api.patch(`${at}/${external.id}`, { browser_download_url: "data:,x" })).status).toBe(400);
    expect((await alice.api.patch(`${at}/999999`, { name: "x" })).status).toBe(404);
    const other = `/repos/alice/secret/releases/${release}/assets/${asset.id}`;
    expect((await alice.api.patch(other, { name: "x" })).status).toBe(404);
    for (const { id } of [asset, external]) {
      expect((await alice.api.delete(`${at}/${id}`)).status).toBe(204);
      expect((await alice.api.delete(`${at}/${id}`)).status).toBe(404);
    }
    expect((await open(asset.browser_download_url)).status).toBe(404);
  });

  test("bytes are the owner's while a file refers to them, and go when none does", async () => {
    const content = crypto.getRandomValues(new Uint8Array(1234));
    const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
    const { sql, db } = app.forge.database;
    const bytesOf = async (owner: string) =>
      Number(
        (
          await sql`select coalesce(sum(bytes), 0) as n from blob_reference join owner on owner.id = owner_id
            where owner.name = ${owner} and blob_reference.kind = 'release-attachment'`
        )[0]?.["n"],
      );
    const collect = () => collectBlobs(db, app.forge.files.blobs, app.forge.log, { graceMs: 0 });
    const before = await bytesOf("alice");
    const [one, other] = [await add("one", content), await add("other", content)];
    expect(await bytesOf("alice")).toBe(before + 2 * 1234);
    await alice.api.delete(`${at}/${one.id}`);
    await collect();
    expect(await bytesOf("alice")).toBe(before + 1234);
    expect((await open(other.browser_download_url)).status).toBe(200);
    // Given to an organization of hers, at once.
    await app.organization("forge", alice);
    const given = await alice.api.post("/repos/alice/site/transfer", { new_owner: "forge" });
    expect([given.status, await bytesOf("forge"), (await bytesOf("alice")) < before]).toEqual([
      202,
      expect.any(Number),
      true,
    ]);
    expect(await bytesOf("forge")).toBeGreaterThanOrEqual(1234);
    const moved = await open(other.browser_download_url);
    expect([moved.status, moved.headers.get("location")]).toEqual([
      307,
      other.browser_download_url.replace("/alice/", "/forge/"),
    ]);
    await alice.api.delete(`/repos/forge/site/releases/${release}`);
    await collect();
    expect(await app.forge.files.blobs.find(sha256)).toBeNull();
    expect((await open(moved.headers.get("location") ?? "")).status).toBe(404);
    expect(await bytesOf("forge")).toBe(0);
  });
});
