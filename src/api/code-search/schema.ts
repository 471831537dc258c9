import { t } from "elysia";
import { integer } from "../common/schema.ts";

const CodeSearchMatch = t.Object(
  {
    text: t.String({ description: "What matches" }),
    indices: t.Array(integer(), {
      description:
        "Where it begins and ends in the line's text, counted in Unicode code points from 0; the end is exclusive",
    }),
    byte_indices: t.Array(integer(), { description: "The same in the whole line of the file, in bytes" }),
  },
  { $id: "CodeSearchMatch" },
);

const CodeSearchLine = t.Object(
  {
    number: integer({ description: "From 1" }),
    text: t.String({ description: "Without its line feed; what is not UTF-8 becomes U+FFFD" }),
    is_match: t.Boolean({ description: "False for a line that is there because of context" }),
    truncated: t.Boolean({
      description: "The line is longer than 2,000 bytes: text is the part around its first match",
    }),
    byte_offset: integer({ description: "Where in the line the text begins" }),
    matches: t.Array(CodeSearchMatch, { description: "What matches in the text, at most 100" }),
  },
  { $id: "CodeSearchLine" },
);

const CodeSearchFile = t.Object(
  {
    name: t.String(),
    path: t.String(),
    sha: t.String({ description: "Oid of the blob" }),
    url: t.String({ description: "API address of the file" }),
    html_url: t.String(),
    git_url: t.String({ description: "API address of the blob" }),
    truncated: t.Boolean({ description: "More lines may match: at most 100 of a file are answered" }),
    lines: t.Array(CodeSearchLine, { description: "In their order" }),
  },
  { $id: "CodeSearchFile" },
);

export const CodeSearchResults = t.Object(
  {
    commit_sha: t.String({ description: "The commit that was searched; empty if the repository has none" }),
    total_count: integer({ description: "How many files were found" }),
    incomplete_results: t.Boolean({ description: "The search ended at a limit: there may be more" }),
    skipped_files: integer({ description: "Files larger than 32 MiB, which are not searched" }),
    items: t.Array(CodeSearchFile, { description: "A page of the files, by path" }),
  },
  { $id: "CodeSearchResults" },
);
