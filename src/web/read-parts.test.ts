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
