import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFrom } from "../../test/support/random.ts";
import { InvalidInput } from "../lib/errors.ts";
import { jsonWorkerUrl } from "../workers.ts";
import { JsonParser } from "../lib/json/json-parser.ts";
import { BodyTooLarge, MalformedBody } from "./request-body.ts";
import { StagedJson } from "./staged-json.ts";

const parser = new JsonParser({ worker: jsonWorkerUrl, maxValues: 1000 });
afterAll(() => parser[Symbol.dispose]());
const directory = mkdtempSync(join(tmpdir(), "stithy-staged-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** A body without a declared length that comes in pieces of so many bytes. */
function request(body: string, each: number): Request {
  const bytes = Buffer.from(body);
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = Uint8Array.from(bytes.subarray(at, (at += each)));
      if (piece.length === 0) controller.close();
      else controller.enqueue(piece);
    },
  });
  return new Request("http://localhost", { method: "POST", body: stream });
}

function read(body: string, each = 65_536, limit = 100_000_000): Promise<StagedJson> {
  return StagedJson.read(parser, request(body, each), limit, "content", directory);
}

const content = Buffer.from(randomFrom(1).bytes(1_000_001));
const base64 = content.toString("base64");

describe("a JSON body", () => {
  test.each([10_000, 100_000_000])("has its large base64 in files, in pieces of %d bytes", async (each) => {
    const sent = {
      message: `"content": ${"x".repeat(1_100_000)}\\"`,
      files: [{ content: base64, path: "ä\n" }, { content: "c21hbGw=" }, { content: base64 }],
      content: [base64],
    };
    const json = await read(JSON.stringify(sent), each);
    const { files, ...rest } = json.value as typeof sent;
    expect(rest).toEqual({ message: sent.message, content: sent.content });
    expect(files.map(({ path }) => path)).toEqual(["ä\n", undefined, undefined] as string[]);
    expect(files[1]!.content).toBe("c21hbGw=");
    expect(json.find("c21hbGw=")).toBeNull();
    for (const { content: name } of [files[0]!, files[2]!]) {
      const staged = json.find(name)!;
      expect(staged.size).toBe(content.length);
      expect(readFileSync(staged.path).equals(content)).toBe(true);
    }
    await json[Symbol.asyncDispose]();
    expect(readdirSync(directory)).toEqual([]);
  });

  test("may have line breaks and slashes with backslashes in its base64", async () => {
    const lines = base64.replaceAll(/.{76}/g, "$&\r\n");
    for (const each of [9999, 1_000_000]) {
      await using json = await read(JSON.stringify({ content: lines }).replaceAll("/", "\\/"), each);
      const { content: name } = json.value as { content: string };
      expect(readFileSync(json.find(name)!.path).equals(content)).toBe(true);
    }
  });

  test("may have characters of its base64 by their numbers", async () => {
    const lines = base64.replaceAll(/.{1000}/g, "$&\r\n");
    const numbered = lines.replaceAll(
      /[+/=A\r\n]/g,
      (character) => `\\u00${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
    for (const each of [997, 1_000_000]) {
      await using json = await read(`{"content":"${numbered}"}`, each);
      const { content: name } = json.value as { content: string };
      expect(readFileSync(json.find(name)!.path).equals(content)).toBe(true);
    }
  });

  test("is read as any other where nothing in it is large", async () => {
    await using json = await read('{"content":"YQ==", "message":"m"}', 3);
    expect(json.value).toEqual({ content: "YQ==", message: "m" });
  });

  const large = base64.slice(0, -4);
  test.each<[string, string, unknown]>([
    ["what is no base64", `{"content":"${large}!AAA"}`, InvalidInput],
    ["an escape that is none of base64", `{"content":"${large}\\tAAA"}`, InvalidInput],
    ["a number that is none of base64", `{"content":"${large}\\u0141AAA"}`, InvalidInput],
    ["a number that is none", `{"content":"${large}\\u00g1AAA"}`, InvalidInput],
    ["a number that is cut off", `{"content":"${large}\\u004"}`, InvalidInput],
    ["a quote in it", `{"content":"${large}\\"AAA"}`, InvalidInput],
    ["an end that is missing", `{"content":"${large}A"}`, InvalidInput],
    ["something behind the padding", `{"content":"${large}AA==${large}"}`, InvalidInput],
    ["too much padding", `{"content":"${large}A==="}`, InvalidInput],
    ["a text that does not end", `{"content":"${large}`, MalformedBody],
    ["no JSON", `{"content":"${large}"`, MalformedBody],
    ["more than is allowed", `{"content":"${large}${large}${large}${large}"}`, BodyTooLarge],
  ])("is refused, and leaves nothing: %s", async (_, body, error) => {
    const refused = await read(body, 50_000, 5_000_000).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(refused).toBeInstanceOf(error as typeof InvalidInput);
    expect(readdirSync(directory)).toEqual([]);
  });
});
