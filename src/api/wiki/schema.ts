import { t } from "elysia";
import { integer, nullable } from "../common/schema.ts";
import { CommitUser } from "../commits/schema.ts";

const WikiCommit = t.Object(
  {
    sha: t.String(),
    author: nullable(CommitUser),
    commiter: nullable(CommitUser),
    message: t.String(),
  },
  { $id: "WikiCommit" },
);

const pageFields = {
  title: t.String({ description: "What people read" }),
  html_url: t.String(),
  sub_url: t.String({ description: "The name of the page for the other operations, and its part of html_url" }),
};

export const WikiPageMetaData = t.Object(
  { ...pageFields, last_commit: nullable(WikiCommit) },
  { $id: "WikiPageMetaData" },
);

export const WikiPage = t.Object(
  {
    ...pageFields,
    last_commit: WikiCommit,
    content_base64: t.String({ description: "Empty where the page has more than 10 MiB" }),
    commit_count: integer({ description: "How many commits changed it under this name" }),
    sidebar: t.String({ description: "The page _Sidebar in base64; empty where there is none" }),
    footer: t.String({ description: "The page _Footer in base64; empty where there is none" }),
  },
  { $id: "WikiPage" },
);

export const WikiCommitList = t.Object(
  { commits: t.Array(WikiCommit), count: integer({ description: "How many there are in all" }) },
  { $id: "WikiCommitList" },
);

export const CreateWikiPageOptions = t.Object(
  {
    title: t.Optional(t.String({ description: "Of a new page, or the new title of one that is edited" })),
    content_base64: t.Optional(
      t.String({
        description: "The content. Without it, a new page is empty and one that is edited keeps its content",
      }),
    ),
    message: t.Optional(t.String({ description: "What the commit says" })),
  },
  { $id: "CreateWikiPageOptions" },
);
