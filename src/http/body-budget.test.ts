import { expect, test } from "bun:test";
import { actAs } from "../lib/principal.ts";
import { BodyBudget } from "./body-budget.ts";

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
