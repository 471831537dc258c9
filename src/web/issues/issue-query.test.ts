import { expect, test } from "bun:test";
import { everyOpenIssue, readIssueQuery, writeIssueQuery } from "./issue-query.ts";

test.each([
  ["", {}],
  ["slow clone", { text: "slow clone" }],
  ["is:closed", { state: "closed" as const }],
  [
    'label:"good first issue" label:bug -label:wontfix',
    { labels: ["good first issue", "bug"], withoutLabels: ["wontfix"] },
  ],
  ["author:lea assignee:@me mentions:mara", { author: "lea", assignee: "@me", mentions: "mara" }],
  ["review-requested:@me reviewed-by:lea", { reviewRequested: "@me", reviewedBy: "lea" }],
  ["milestone:0.2 sort:mostcomment words", { milestone: "0.2", sort: "mostcomment" as const, text: "words" }],
  [
    "no:label no:assignee repo:forge/stithy",
    { without: ["label" as const, "assignee" as const], repository: "forge/stithy" },
  ],
  [
    "sort:nothing is:nothing http://x",
    { text: "sort:nothing is:nothing http://x", unknown: ["sort:nothing", "is:nothing"] },
  ],
  ["constructor:x -toString:y", { text: "constructor:x -toString:y", unknown: ["constructor:x"] }],
  ['"two words" label:', { text: "two words" }],
])("%p is read, and written so that it reads the same", (text, wanted) => {
  const query = { ...everyOpenIssue, ...wanted };
  expect(readIssueQuery(text)).toEqual(query);
  expect(readIssueQuery(writeIssueQuery(query))).toEqual(query);
});

test("a search of any length and any number of labels is read in part", () => {
  expect(readIssueQuery(`${"label:a ".repeat(500)}`).labels).toHaveLength(20);
  expect(readIssueQuery("x".repeat(5000)).text).toHaveLength(1000);
});
