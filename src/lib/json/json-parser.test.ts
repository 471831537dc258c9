import { afterAll, describe, expect, test } from "bun:test";
import { jsonWorkerUrl } from "../../workers.ts";
import { InvalidInput, StithyError } from "../errors.ts";
import { JsonParser } from "./json-parser.ts";

const parser = new JsonParser({ worker: jsonWorkerUrl, maxValues: 1000 });
afterAll(() => parser[Symbol.dispose]());

const parse = (text: string) => parser.parse(new Uint8Array(Buffer.from(text)));
const refusal = (text: string) =>
  parse(text).then(
    () => null,
    (error: unknown) => (error instanceof StithyError ? { code: error.code, message: error.message } : error),
  );

describe("limits", () => {
  const tooMany = {
    code: "body-too-large",
    message:
      "The body has more than the 1000 keys and values that the server takes in one body: send it in several parts",
  };

  test.each([
    ["keys", `{${Array.from({ length: 600 }, (_, key) => `"k${key}":1`).join()}}`],
    ["values", `[${"1,".repeat(1000)}1]`],
    ["empty objects", `[${"{},".repeat(600)}{}]`],
  ])("too many %s are refused", async (_, text) => {
    expect(await refusal(text)).toEqual(tooMany);
  });

  test("what stands in texts does not count", async () => {
    const value = { [`a${",:[{".repeat(1000)}`]: `\\"${"[,".repeat(3_000_000)}\\` };
    expect(await parse(JSON.stringify(value))).toEqual({ value });
  });

  test("a hundred levels are taken and one more is not", async () => {
    expect(await parse("[".repeat(100) + "]".repeat(100))).toHaveProperty("value");
    const error: unknown = await parse("[".repeat(101) + "]".repeat(101)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInput);
    expect(String(error)).toContain("The body must not be nested deeper than 100 levels");
  });
});

/** The second ones are parsed in another thread. */
describe.each([0, 3_000_000])("a text with %d blanks before it", (blanks) => {
  const padded = (text: string) => parse(" ".repeat(blanks) + text);

  test("is parsed", async () => {
    expect(await padded('{"a":[1,"é",null,{"b":true}]}')).toEqual({ value: { a: [1, "é", null, { b: true }] } });
    expect(await padded("")).toEqual({ value: {} });
  });

  test("that is no JSON is told", async () => {
    expect(await padded('{"a":')).toEqual({ malformed: expect.stringMatching(/^it is not JSON \(/) as string });
    const broken = new Uint8Array(Buffer.concat([Buffer.from(" ".repeat(blanks)), Buffer.of(0x22, 0xff, 0x22)]));
    expect(await parser.parse(broken)).toEqual({ malformed: "it is not UTF-8" });
  });

  test("with a NUL names its key", async () => {
    expect(await padded('{"a":{"b":"x\\u0000"}}')).toEqual({ nulIn: "b" });
    expect(await padded('{"a":"\\\\u0000"}')).toEqual({ value: { a: "\\u0000" } });
  });
});
