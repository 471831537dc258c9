import { expect, test } from "bun:test";
import { plainNotes, readNotesConfig } from "./notes-config.ts";
import { writeNotes, type NotedPull } from "./write-notes.ts";

const pull = (number: number, labels: string[] = [], author: string | null = "mara", isFirst = false): NotedPull => ({
  number,
  title: `Change ${number}`,
  author,
  labels,
  isFirst,
});

test("without a configuration all pull requests are one list", () => {
  expect(writeNotes(plainNotes, [pull(1), pull(2, [], null)], "https://example.org/compare/a...b")).toBe(
    "## What changed\n\n- Change 1 by @mara in #1\n- Change 2 in #2\n\n**All changes**: https://example.org/compare/a...b\n",
  );
});

test("each pull request stands below the first heading whose labels it has", () => {
  const config = readNotesConfig({
    changelog: {
      exclude: { labels: ["Skip"], authors: ["bot"] },
      categories: [
        { title: "Breaking", labels: ["breaking"] },
        { title: "Mended", labels: ["bug"], exclude: { authors: ["oskar"] } },
        { title: "Nothing", labels: ["none"] },
      ],
    },
  });
  const pulls = [
    pull(1, ["bug", "Breaking"]),
    pull(2, ["BUG"]),
    pull(3, ["skip"]),
    pull(4, ["bug"], "Bot"),
    pull(5, ["bug"], "oskar", true),
    pull(6),
  ];
  expect(writeNotes(config, pulls, null)).toBe(
    [
      "## What changed",
      "### Breaking\n\n- Change 1 by @mara in #1",
      "### Mended\n\n- Change 2 by @mara in #2",
      "### Other changes\n\n- Change 5 by @oskar in #5\n- Change 6 by @mara in #6",
      "## New contributors\n\n- @oskar made their first contribution in #5\n",
    ].join("\n\n"),
  );
});

test("a star takes all that is left", () => {
  const config = readNotesConfig({ changelog: { categories: [{ title: "All", labels: ["*"] }] } });
  expect(writeNotes(config, [pull(1)], null)).toBe("## What changed\n\n### All\n\n- Change 1 by @mara in #1\n");
});

test.each([[null], ["text"], [[]], [{ changelog: [] }], [{ changelog: { categories: "x" } }]])(
  "%j is no configuration",
  (value) => {
    expect(() => readNotesConfig(value)).toThrow();
  },
);
