import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";

/** The documents name files of the repository: each of them is there. */

const root = join(import.meta.dir, "../..");
const documents = ["README.md", "docs/**/*.md", "{src,test}/**/README.md"]
  .flatMap((pattern) => Array.from(new Glob(pattern).scanSync(root)))
  .sort();
/** Paths as written from the root. A word in capitals, such as NOUN, stands for many files. */
const named = /`((?:src|test|docs|bench|drizzle|patches)\/[\w./-]*)`/g;
/** Documents below `docs/` name sources from `src/`, too. */
const source =
  /`((?:api|auth|blobs|config|db|domain|git|githttp|http|lfs|lib|mail|markdown|postgres|queue|ssh|web)\/[\w./-]+)`/g;
const placeholder = /\b(?!README)[A-Z]{2,}\b/;

test.each(documents)("every path that %s names is there", async (document) => {
  const text = await Bun.file(join(root, document)).text();
  const paths = [...text.matchAll(named)].map(([, path = ""]) => path).filter((path) => !placeholder.test(path));
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const sources = document.startsWith("docs/") ? [...text.matchAll(source)].map(([, path = ""]) => path) : [];
  expect(sources.filter((path) => !existsSync(join(root, "src", path)))).toEqual([]);
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link);
  expect(links.filter((link) => !existsSync(join(root, dirname(document), link)))).toEqual([]);
});

test("documents are found", () => {
  expect(documents.length).toBeGreaterThan(10);
});
