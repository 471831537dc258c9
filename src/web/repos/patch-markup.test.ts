import { expect, test } from "bun:test";
import { patchMarkup } from "./patch-markup.ts";

const patch = `diff --git a/a.sql b/a.sql
index 1..2 100644
--- a/a.sql
+++ b/a.sql
@@ -1,3 +1,3 @@ select <1>
 same
--- a comment of SQL
-old
+++ two more
 end
diff --git a/b b/b
deleted file mode 100644
`;

test("runs of lines have their kind, and the text is the patch", () => {
  const markup = patchMarkup(patch).text;
  expect([...markup.matchAll(/class="patch-(\w+)"/g)].map(([, kind]) => kind)).toEqual([
    "file",
    "hunk",
    "removed",
    "added",
    "file",
  ]);
  expect(markup).toContain('<span class="patch-removed">--- a comment of SQL\n-old\n</span>');
  const text = markup
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  expect(text).toBe(patch);
});

test("a patch without an end of line, and an empty one", () => {
  expect(patchMarkup("@@ -1 +1 @@\n+x").text).toBe(
    '<span class="patch-hunk">@@ -1 +1 @@\n</span><span class="patch-added">+x</span>',
  );
  expect(patchMarkup("").text).toBe("");
});
