import { afterEach, expect, test } from "bun:test";
import { isCut, limitShownText, shownObject } from "./shown-text.ts";

afterEach(() => limitShownText(1024 * 1024));

const shown = (text: string) => Buffer.from(shownObject(Buffer.from(text))).toString();

test("headers stay whole and a message is cut between two characters", () => {
  limitShownText(10);
  const headers = "tree 1234567890\nauthor a\n\n";
  expect(shown(`${headers}0123456789abc`)).toBe(`${headers}0123456789`);
  expect(shown(`${headers}012345678é`)).toBe(`${headers}012345678`);
  expect(shown(`${headers}0123456😀`)).toBe(`${headers}0123456`);
  expect(shown(`${headers}01234567é!`)).toBe(`${headers}01234567é`);
});

test("an object within the limit is shown whole", () => {
  limitShownText(30);
  expect(shown("tree 1\n\nmessage")).toBe("tree 1\n\nmessage");
  expect([isCut(Buffer.alloc(30)), isCut(Buffer.alloc(31))]).toEqual([false, true]);
});
