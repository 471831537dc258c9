import { expect, test } from "bun:test";
import { actAs } from "../lib/request-context.ts";
import { BodyBudget } from "./body-budget.ts";
import { readBody } from "./request-body.ts";

test("a principal holds at most as many bytes as it leaves free, and gives back all of them once", () => {
  const budget = new BodyBudget(100);
  const busy = actAs("busy", () => budget.open());
  const more = actAs("busy", () => budget.open());
  const other = actAs("other", () => budget.open());
  busy.add(30);
  more.add(20);
  expect(() => more.add(1)).toThrow("You have too many bytes of unfinished bodies under way");
  other.add(25);
  expect(() => other.add(1)).toThrow("You have too many");
  expect(() => actAs("third", () => budget.open()).add(13)).toThrow("The server has too many");
  expect(budget.held).toBe(75);
  busy[Symbol.dispose]();
  busy[Symbol.dispose]();
  expect(budget.held).toBe(45);
  other.add(1);
  more[Symbol.dispose]();
  other[Symbol.dispose]();
  expect(budget.held).toBe(0);
});

test("a small body is taken whatever a dozen others hold", () => {
  const budget = new BodyBudget(1024, 8);
  for (let bytes = 512, number = 0; bytes >= 1; bytes /= 2, number++) {
    actAs(`holder ${number}`, () => budget.open()).add(bytes);
  }
  const late = actAs("late", () => budget.open());
  late.add(8);
  expect(() => late.add(1)).toThrow("You have too many");
});

test("a body that is as large as its operation allows has room, and another one beside it", async () => {
  const [size, limit] = [80, 90].map((megabytes) => megabytes * 1024 * 1024) as [number, number];
  const body = new Uint8Array(size).fill(1);
  const read = (who: string) =>
    actAs(who, async () => {
      const request = new Request("http://localhost/", { method: "POST", body });
      request.headers.set("content-length", String(size));
      return (await readBody(request, limit)).length;
    });
  expect(await Promise.all([read("one"), read("other")])).toEqual([size, size]);
});
