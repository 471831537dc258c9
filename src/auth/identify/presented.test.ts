import { expect, test } from "bun:test";
import { parseAuthorization } from "./presented.ts";

const basic = (text: string) => parseAuthorization(`Basic ${Buffer.from(text).toString("base64")}`);

test("reads every form that clients send", () => {
  expect(parseAuthorization(null)).toEqual({ kind: "none" });
  expect(parseAuthorization("token abc")).toEqual({ kind: "token", token: "abc" });
  expect(parseAuthorization("bearer abc")).toEqual({ kind: "token", token: "abc" });
  expect(basic("ada:p:w")).toEqual({ kind: "basic", username: "ada", password: "p:w" });
  expect(basic("ada:")).toEqual({ kind: "basic", username: "ada", password: "" });
  expect(basic("ädä:pässwörd")).toEqual({ kind: "basic", username: "ädä", password: "pässwörd" });
});

test("what cannot be read is not taken for nobody", () => {
  for (const header of [
    "abc",
    "token ",
    "Digest x",
    "Basic !!!",
    `Basic ${Buffer.from("no colon").toString("base64")}`,
  ]) {
    expect(parseAuthorization(header)).toEqual({ kind: "unreadable" });
  }
});
