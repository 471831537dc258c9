import { expect, test } from "bun:test";
import { SharedSteps } from "./shared-steps.ts";

function counting(steps: number, failing = false): { done: number; make: () => Generator<number, string> } {
  const work = {
    done: 0,
    *make(): Generator<number, string> {
      while (work.done < steps) {
        yield ++work.done;
      }
      if (failing) {
        throw new Error("failed");
      }
      return `after ${work.done}`;
    },
  };
  return work;
}

function take(joined: Generator<number, string>, steps: number): unknown[] {
  return Array.from({ length: steps }, () => joined.next().value);
}

test("those who join share the steps and the result; one that leaves stops nobody", () => {
  const shared = new SharedSteps<number, string>();
  const work = counting(6);
  const [first, second, third] = [0, 1, 2].map(() => shared.join("a", work.make));
  expect([...take(first!, 1), ...take(second!, 2), ...take(third!, 1), ...take(first!, 1)]).toEqual([1, 2, 3, 4, 5]);
  expect(second!.return("gone")).toEqual({ done: true, value: "gone" });
  expect(take(third!, 2)).toEqual([6, "after 6"]);
  expect(take(first!, 1)).toEqual(["after 6"]);
  // Another key is other work, and what has ended begins anew.
  expect(take(shared.join("b", counting(1).make), 2)).toEqual([1, "after 1"]);
  expect(take(shared.join("a", counting(0).make), 1)).toEqual(["after 0"]);
});

test("a failure is everybody's, once", () => {
  const shared = new SharedSteps<number, string>();
  const { make } = counting(1, true);
  const first = shared.join("a", make);
  expect(take(first, 1)).toEqual([1]);
  const joined = shared.join("a", make);
  expect(() => joined.next()).toThrow("failed");
  expect(() => first.next()).toThrow("failed");
  const later = counting(0);
  expect(take(shared.join("a", later.make), 1)).toEqual(["after 0"]);
});
