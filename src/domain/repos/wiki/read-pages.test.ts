import { expect, test } from "bun:test";
import { pageOfFile } from "./page-name.ts";
import { findPage, prepareFindPage } from "./read-pages.ts";

const pagesOf = (files: readonly string[]) => ({
  pages: files.map((file, index) => ({ ...pageOfFile(file)!, oid: "", index })),
});

test("a page is found by its path, the name of its file, and its title", () => {
  const opened = pagesOf(["Home.md", "How-to.md", "A b.md", "A-b.md"]);
  const fileOf = (name: string) => findPage(opened, name)?.file ?? null;
  expect(["Home", "Home.md", "How-to", "How to", "How+to", "Nothing"].map(fileOf)).toEqual([
    "Home.md",
    "Home.md",
    "How-to.md",
    "How-to.md",
    "How-to.md",
    null,
  ]);
});

test("many names are looked for in many pages without going through all of them each time", () => {
  let read = 0;
  const { pages } = pagesOf(Array.from({ length: 1000 }, (_, index) => `Page-${index}.md`));
  for (const page of pages) {
    const { path } = page;
    Object.defineProperty(page, "path", {
      get() {
        read++;
        return path;
      },
    });
  }
  const find = prepareFindPage({ pages });
  for (let index = 0; index < 1000; index++) {
    find(`None-${index}`);
  }
  expect(read).toBe(pages.length);
});
