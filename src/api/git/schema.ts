import { t } from "elysia";
import { integer, nullable } from "../common/schema.ts";
import { Commit } from "../commits/schema.ts";

const GitEntry = t.Object(
  {
    path: t.String(),
    mode: t.String({ description: "Six octal digits" }),
    type: t.String({ description: "blob, tree or commit" }),
    size: integer({ description: "Bytes of a blob" }),
    sha: t.String(),
    url: t.String(),
  },
  { $id: "GitEntry" },
);

export const GitTreeResponse = t.Object(
  {
    sha: t.String(),
    url: t.String(),
    tree: t.Array(GitEntry),
    truncated: t.Boolean({ description: "There are more on the next page" }),
    page: integer(),
    total_count: integer(),
  },
  { $id: "GitTreeResponse" },
);

export const GitBlobResponse = t.Object(
  {
    content: t.String(),
    encoding: t.String({ description: "base64" }),
    url: t.String(),
    sha: t.String(),
    size: integer(),
  },
  { $id: "GitBlobResponse" },
);

const GitObject = t.Object({ type: t.String(), sha: t.String(), url: t.String() }, { $id: "GitObject" });

export const Reference = t.Object(
  { ref: t.String({ description: "The full name" }), url: t.String(), object: nullable(GitObject) },
  { $id: "Reference" },
);

export const Note = t.Object({ message: t.String(), commit: nullable(Commit) }, { $id: "Note" });

export const NoteOptions = t.Object({ message: t.Optional(t.String()) }, { $id: "NoteOptions" });
