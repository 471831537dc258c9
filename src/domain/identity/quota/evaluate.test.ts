import { describe, expect, test } from "bun:test";
import { isOver, roomFor, roomForParts, type QuotaGroup } from "./evaluate.ts";
import { noUsage, partsBy, partsOf, quotaSubjects, type QuotaSubject, type Usage, type UsagePart } from "./subjects.ts";

/** One byte of the first part, two of the second, four of the third: a sum tells of which parts it is. */
const usage: Usage = {
  reposPublic: 1,
  reposPrivate: 2,
  gitLfs: 4,
  attachmentsIssues: 8,
  attachmentsReleases: 16,
  artifacts: 32,
  packages: 64,
  wikis: 128,
  pictures: 256,
  guestsPublic: 512,
  guestsPrivate: 1024,
  guestsLfs: 2048,
  guestsIssues: 4096,
  guestsWikis: 8192,
  texts: 0,
  guestsTexts: 16_384,
};

/** Without what guests brought, which never counts for the owner. */
const sizes: Readonly<Record<QuotaSubject, number>> = {
  "size:all": 511,
  "size:repos:all": 3,
  "size:repos:public": 1,
  "size:repos:private": 2,
  "size:git:all": 7,
  "size:git:lfs": 4,
  "size:assets:all": 376,
  "size:assets:attachments:all": 24,
  "size:assets:attachments:issues": 8,
  "size:assets:attachments:releases": 16,
  "size:assets:artifacts": 32,
  "size:assets:packages:all": 64,
  "size:wiki": 128,
};

const group = (...rules: [limit: number, ...subjects: QuotaSubject[]][]): QuotaGroup => ({
  name: "group",
  rules: rules.map(([limit, ...subjects], index) => ({ name: `rule ${index}`, limit, subjects })),
});

describe.each(quotaSubjects)("a rule on %s", (subject) => {
  test("stands up to its limit and not beyond it", () => {
    const used = sizes[subject];
    expect(roomFor([group([used, subject])], usage, "size:all")).toBe(0);
    expect(isOver([group([used, subject])], usage, subject)).toBe(false);
    expect(isOver([group([used - 1, subject])], usage, subject)).toBe(true);
  });

  test("decides about those subjects that it has bytes in common with", () => {
    const common = (other: QuotaSubject) => (sizes[subject] & sizes[other]) !== 0;
    const decided = quotaSubjects.filter((other) => isOver([group([0, subject])], usage, other));
    expect(decided).toEqual(quotaSubjects.filter(common));
  });
});

test("a rule adds its subjects up, and counts a byte of two of them once", () => {
  const both: QuotaSubject[] = ["size:git:lfs", "size:assets:artifacts"];
  expect(roomFor([group([36, ...both])], usage, "size:git:lfs")).toBe(0);
  expect(isOver([group([35, ...both])], usage, "size:assets:artifacts")).toBe(true);
  expect(roomFor([group([511, "size:all", "size:git:lfs"])], usage, "size:git:lfs")).toBe(0);
});

test("a group stands when all its rules stand, and without rules", () => {
  expect(isOver([group([511, "size:all"], [3, "size:git:lfs"])], usage, "size:git:lfs")).toBe(true);
  expect(roomFor([group([514, "size:all"], [5, "size:git:lfs"])], usage, "size:git:lfs")).toBe(1);
  expect(roomFor([group()], usage, "size:all")).toBe(Number.POSITIVE_INFINITY);
});

test("a list stands when any of its groups stands, and without groups", () => {
  const [over, within] = [group([0, "size:all"]), group([584, "size:all"])];
  expect(roomFor([over, within], usage, "size:repos:all")).toBe(73);
  expect(isOver([over, over], usage, "size:repos:all")).toBe(true);
  expect(isOver([], usage, "size:all")).toBe(false);
});

test("whoever uses nothing is within every limit, also of no bytes", () => {
  for (const subject of quotaSubjects) {
    expect(isOver([group([0, subject])], noUsage, subject)).toBe(false);
  }
  const parts = [...partsBy("owner", new Set(Object.keys(usage) as UsagePart[]))];
  expect(parts.reduce((sum, part) => sum + usage[part], 0)).toBe(sizes["size:all"]);
});

test("guests have a part of each limit for what they bring, and the owner has the limit", () => {
  const theirs = partsBy("guests", partsOf(["size:git:all"]));
  const guests = (guestPercent: number, ...groups: QuotaGroup[]) =>
    roomForParts(groups, usage, theirs, { by: "guests", guestPercent });
  // 32256 bytes are theirs, 3584 of them of git.
  expect(guests(50, group([20_000, "size:all"]))).toBe(10_000 - 32_256);
  expect(guests(25, group([20_000, "size:all"]))).toBe(5000 - 32_256);
  expect(guests(25, group([20_000, "size:git:all"]))).toBe(5000 - 3584);
  expect(guests(0, group([20_000, "size:assets:attachments:issues"]))).toBe(Number.POSITIVE_INFINITY);
  expect(guests(25)).toBe(Number.POSITIVE_INFINITY);
  expect(roomFor([group([511, "size:all"])], usage, "size:git:all")).toBe(0);
});
