import { expect, test } from "bun:test";
import { findCourse } from "../../src/domain/work/milestones/queries.ts";
import { findMilestoneNamed } from "../../src/domain/work/milestones/queries.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const { id: repositoryId } = await app.repository(alice, "tour", { auto_init: true });
const owner = new WebVisitor(app.url);
await owner.signIn("alice", testPassword);
const nobody = new WebVisitor(app.url);

const milestone = async (title: string) =>
  (await alice.api.post<{ id: number }>("/repos/alice/tour/milestones", { title })).body.id;
const open = async (title: string, of: number) =>
  (await alice.api.post<{ number: number }>("/repos/alice/tour/issues", { title, milestone: of })).body.number;
const setState = (number: number, state: "open" | "closed") =>
  alice.api.patch(`/repos/alice/tour/issues/${number}`, { state });

test("the page of a milestone has its issues, open and closed, and searches them", async () => {
  const [one, other] = [await milestone("<b>One"), await milestone("Other")];
  await open("In one, open", one);
  await setState(await open("In one, closed", one), "closed");
  await open("In the other", other);
  const page = `/alice/tour/milestone/${one}`;
  const { text } = await nobody.get(page);
  expect(text).toContain("&lt;b&gt;One");
  expect(text).toContain("In one, open");
  expect(text).not.toContain("In one, closed");
  expect(text).not.toContain("In the other");
  expect(text).toContain('role="img" aria-label="1 of 2 were closed by');
  expect((await nobody.get(`${page}?q=is:closed`)).text).toContain("In one, closed");
  expect((await nobody.get(`${page}?q=is:all+closed`)).text).not.toContain("In one, open");
  expect((await nobody.get(page)).text).not.toContain("Delete the milestone");
  expect((await owner.get(page)).text).toContain("Delete the milestone");
});

test("the course of a milestone counts what was closed and reopened, in its order", async () => {
  const id = await milestone("Course");
  const { db } = app.forge.database;
  const row = async () => {
    const found = await findMilestoneNamed(db, repositoryId, String(id));
    if (found === null) {
      throw new Error("The milestone is gone");
    }
    return found;
  };
  const until = () => new Date(Date.now() + 60_000);
  expect(await findCourse(db, await row(), until())).toBeNull();
  const [first, second] = [await open("First", id), await open("Second", id)];
  await open("Third", id);
  await setState(first, "closed");
  await setState(second, "closed");
  await setState(second, "open");
  await setState(second, "closed");
  await setState(second, "open");
  const course = (await findCourse(db, await row(), until())) ?? [];
  expect(course).toHaveLength(61);
  expect(course.at(-1)).toMatchObject({ all: 3, closed: 1 });
  expect(course.every(({ all, closed }) => closed >= 0 && closed <= all)).toBe(true);
  expect(course.every(({ at }, index) => index === 0 || at > (course[index - 1]?.at ?? at))).toBe(true);
});
