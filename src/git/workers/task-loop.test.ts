import { expect, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import { TaskLoop, type Task } from "./task-loop.ts";

/** Takes so many steps of one millisecond by its own clock, and notes each in `steps`. */
class Steps implements Task {
  constructor(
    private readonly name: string,
    private left: number,
    private readonly steps: string[],
    private readonly clock: { now: number },
    private readonly parksAt = -1,
    readonly principal = "somebody",
    private budget = 1000,
  ) {}

  charge(milliseconds: number): boolean {
    this.budget -= milliseconds;
    return this.budget >= 0;
  }

  step(): "again" | "parked" | "done" {
    if (this.left === this.parksAt) {
      this.left--;
      return "parked";
    }
    this.clock.now++;
    this.steps.push(this.name);
    return --this.left === 0 ? "done" : "again";
  }
}

function loop(): { loop: TaskLoop; steps: string[]; clock: { now: number } } {
  const clock = { now: 0 };
  return { loop: new TaskLoop(4, () => clock.now), steps: [], clock };
}

test("tasks take turns of the given length, after a first one at once", async () => {
  const { loop: tasks, steps, clock } = loop();
  tasks.start(new Steps("a", 10, steps, clock));
  expect(steps.join("")).toBe("aaaa");
  tasks.start(new Steps("b", 6, steps, clock));
  tasks.start(new Steps("c", 2, steps, clock));
  expect(steps.join("")).toBe("aaaabbbbcc");
  await until("all are done", () => steps.length === 18);
  expect(steps.join("")).toBe("aaaabbbbccaaaabbaa");
});

test("a parked task goes on when it is woken, and a dropped one never", async () => {
  const { loop: tasks, steps, clock } = loop();
  const parked = new Steps("p", 4, steps, clock, 2);
  const dropped = new Steps("d", 9, steps, clock);
  tasks.start(parked);
  tasks.start(dropped);
  tasks.drop(dropped);
  expect(steps.join("")).toBe("ppdddd");
  tasks.wake(parked);
  tasks.wake(parked);
  await until("the parked one is done", () => steps.length === 7);
  tasks.start(new Steps("z", 5, steps, clock));
  await until("a later one is done", () => steps.length === 12);
  expect(steps.join("")).toBe("ppddddpzzzzz");
});

test("principals have turns, however many tasks one of them has", async () => {
  const { loop: tasks, steps, clock } = loop();
  for (const name of ["a", "b", "c"]) {
    tasks.start(new Steps(name, 12, steps, clock, -1, "crowd"));
  }
  tasks.start(new Steps("z", 12, steps, clock, -1, "single"));
  expect(steps.join("")).toBe("aaaabbbbcccczzzz");
  await until("all are done", () => steps.length === 48);
  expect(steps.join("").slice(16)).toBe("aaaazzzzbbbbzzzzccccaaaabbbbcccc");
});

test("a new task of a principal with others waits for that principal's turn when somebody else waits", async () => {
  const { loop: tasks, steps, clock } = loop();
  tasks.start(new Steps("a", 8, steps, clock, -1, "crowd"));
  tasks.start(new Steps("z", 8, steps, clock, -1, "single"));
  tasks.start(new Steps("b", 1, steps, clock, -1, "crowd"));
  tasks.start(new Steps("n", 1, steps, clock, -1, "new"));
  expect(steps.join("")).toBe("aaaazzzzn");
  await until("all are done", () => steps.length === 18);
  expect(steps.join("").slice(9)).toBe("bzzzzaaaa");
});

test("a task that has used up its time is not called again", async () => {
  const { loop: tasks, steps, clock } = loop();
  tasks.start(new Steps("a", 100, steps, clock, -1, "somebody", 10));
  tasks.start(new Steps("b", 20, steps, clock));
  await until("the other one is done", () => steps.filter((name) => name === "b").length === 20);
  expect(steps.filter((name) => name === "a")).toHaveLength(12);
});
