import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Forge } from "../domain/spine/forge.ts";
import { actAs } from "../lib/request-context.ts";
import { prepareReadParts } from "./read-parts.ts";

const temporaryDirectory = await mkdtemp(join(tmpdir(), "read-parts-"));
afterAll(() => rm(temporaryDirectory, { recursive: true }));

const begin = '--b\r\ncontent-disposition: form-data; name="text"\r\n\r\nof the form';
const whole = new Response(`${begin}\r\n--b--\r\n`);
const headers = { "content-type": "multipart/form-data; boundary=b" };

test("forms that strangers send from many addresses, and never end, keep nobody who is signed in waiting", async () => {
  const forge = { config: { api: { content_limit_bytes: 1000 } }, files: { temporaryDirectory } } as unknown as Forge;
  const read = prepareReadParts(forge);
  const leave = new AbortController();
  const slow = Array.from({ length: 40 }, (_, address) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(begin));
        leave.signal.addEventListener("abort", () => controller.error(leave.signal.reason));
      },
    });
    const request = new Request("http://x/", { method: "POST", headers, body, signal: leave.signal });
    return actAs(`address ${address}`, () => read(request, false));
  });
  const ended = Promise.allSettled(slow);
  const request = new Request("http://x/", { method: "POST", headers, body: whole.body! });
  const form = await actAs("user 1", () => read(request, true));
  expect(form.text("text")).toBe("of the form");
  await form[Symbol.asyncDispose]();
  leave.abort();
  await ended;
  expect(await readdir(temporaryDirectory)).toEqual([]);
});

test("a form has as many fields as an issue template may ask for", async () => {
  const forge = { config: { api: { content_limit_bytes: 1000 } }, files: { temporaryDirectory } } as unknown as Forge;
  const fields = Array.from(
    { length: 200 },
    (_, index) => `--b\r\ncontent-disposition: form-data; name="field-${index}"\r\n\r\n${index}\r\n`,
  );
  const request = new Request("http://x/", { method: "POST", headers, body: `${fields.join("")}--b--\r\n` });
  const form = await prepareReadParts(forge)(request, true);
  expect(form.entries()).toHaveLength(200);
  await form[Symbol.asyncDispose]();
});

test("the texts of a form are bounded together", async () => {
  const forge = {
    config: { api: { content_limit_bytes: 64 * 1024 * 1024 } },
    files: { temporaryDirectory },
  } as unknown as Forge;
  const field = `--b\r\ncontent-disposition: form-data; name="text"\r\n\r\n${"x".repeat(3 * 1024 * 1024)}\r\n`;
  const request = new Request("http://x/", { method: "POST", headers, body: `${field.repeat(2)}--b--\r\n` });
  await expect(prepareReadParts(forge)(request, true)).rejects.toThrow("4194304");
  expect(await readdir(temporaryDirectory)).toEqual([]);
});
