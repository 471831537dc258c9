import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { mapRowsByPlan } from "./map-rows.ts";
import { issue, milestone } from "./schema/issues.ts";
import { owner } from "./schema/owners.ts";

// Nothing is sent: the answers of the driver are made here.
const db = drizzle(postgres({ host: "/nowhere" }), { casing: "snake_case" });

interface Mapped {
  customResultMapper?: (rows: unknown[][]) => unknown[];
}

test("rows are what Drizzle makes of them", () => {
  const query = mapRowsByPlan(
    db
      .select({ owner: { id: owner.id, createdAt: owner.createdAt, name: owner.name }, total: sql`1`.mapWith(Number) })
      .from(owner)
      .prepare("any"),
  ) as Mapped;
  expect(query.customResultMapper?.([["7", "2030-01-02 03:04:05.678901+00", "alice", "3"]])).toEqual([
    { owner: { id: 7, createdAt: new Date("2030-01-02T03:04:05.678Z"), name: "alice" }, total: 3 },
  ]);
  const flat = mapRowsByPlan(
    db.select({ id: issue.id, closedAt: issue.closedAt }).from(issue).prepare("flat"),
  ) as Mapped;
  expect(flat.customResultMapper?.([["7", null]])).toEqual([{ id: 7, closedAt: null }]);
});

test("an object of an outer join is null where there is no row", () => {
  const query = mapRowsByPlan(
    db
      .select({ id: issue.id, milestone: { id: milestone.id, closedAt: milestone.closedAt }, number: sql`1` })
      .from(issue)
      .leftJoin(milestone, eq(milestone.id, issue.milestoneId))
      .prepare("outer"),
  ) as Mapped;
  expect(
    query.customResultMapper?.([
      ["7", null, null, 1],
      ["8", "3", null, 2],
    ]),
  ).toEqual([
    { id: 7, milestone: null, number: 1 },
    { id: 8, milestone: { id: 3, closedAt: null }, number: 2 },
  ]);
});

test("a query whose objects are of several tables, one of them of an outer join, is left to Drizzle", () => {
  const fields = { id: issue.id, both: { id: issue.id, title: milestone.title } };
  const inner = db.select(fields).from(issue).innerJoin(milestone, eq(milestone.id, issue.milestoneId));
  expect((mapRowsByPlan(inner.prepare("inner")) as Mapped).customResultMapper).toBeFunction();
  const outer = db.select(fields).from(issue).leftJoin(milestone, eq(milestone.id, issue.milestoneId));
  expect((mapRowsByPlan(outer.prepare("outer")) as Mapped).customResultMapper).toBeUndefined();
});
