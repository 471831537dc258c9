import { t } from "elysia";
import { integer, nullable } from "../common/schema.ts";
import { CommitMeta, CommitUser, PayloadCommitVerification } from "../commits/schema.ts";

export const TagArchiveDownloadCount = t.Object(
  { zip: integer(), tar_gz: integer() },
  { $id: "TagArchiveDownloadCount" },
);

export const Tag = t.Object(
  {
    name: t.String(),
    message: t.String({ description: "Of the annotated tag, else of the commit" }),
    id: t.String({ description: "Oid of the annotated tag, else of the commit" }),
    commit: nullable(CommitMeta),
    zipball_url: t.String(),
    tarball_url: t.String(),
    archive_download_count: nullable(TagArchiveDownloadCount),
  },
  { $id: "Tag" },
);

const AnnotatedTagObject = t.Object(
  { type: t.String(), url: t.String(), sha: t.String() },
  { $id: "AnnotatedTagObject" },
);

export const AnnotatedTag = t.Object(
  {
    tag: t.String({ description: "Its name" }),
    sha: t.String(),
    url: t.String(),
    message: t.String(),
    tagger: nullable(CommitUser),
    object: nullable(AnnotatedTagObject),
    verification: nullable(PayloadCommitVerification),
    archive_download_count: nullable(TagArchiveDownloadCount),
  },
  { $id: "AnnotatedTag" },
);

export const CreateTagOption = t.Object(
  {
    tag_name: t.String({ minLength: 1 }),
    target: t.Optional(t.String({ description: "A branch, tag or commit; the default branch otherwise" })),
    message: t.Optional(t.String({ description: "With it the tag is an annotated one" })),
  },
  { $id: "CreateTagOption" },
);
