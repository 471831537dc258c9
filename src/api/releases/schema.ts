import { t } from "elysia";
import { Attachment } from "../attachments/schema.ts";
import { dateTime, integer, nullable } from "../common/schema.ts";
import { TagArchiveDownloadCount } from "../tags/schema.ts";
import { User } from "../users/schema.ts";

export const Release = t.Object(
  {
    archive_download_count: nullable(TagArchiveDownloadCount),
    assets: nullable(t.Array(Attachment)),
    author: nullable(User),
    body: t.String(),
    created_at: dateTime(),
    draft: t.Boolean({ description: "Only those who may write releases see it" }),
    hide_archive_links: t.Boolean({ description: "Pages do not offer the archives of the tag" }),
    html_url: t.String(),
    id: integer(),
    name: t.String(),
    prerelease: t.Boolean(),
    published_at: dateTime("Of a draft, when it was created"),
    tag_name: t.String(),
    tarball_url: t.String(),
    target_commitish: t.String({ description: "Where the tag was or would be created" }),
    upload_url: t.String({ description: "Where files are sent to" }),
    url: t.String(),
    zipball_url: t.String(),
  },
  { $id: "Release" },
);

const longest = 255;
const title = t.Optional(t.String({ maxLength: longest, description: "Title" }));
const target = t.Optional(
  t.String({
    maxLength: longest,
    description: "A branch, tag or commit, at which the tag is created if it does not exist; else the default branch",
  }),
);

export const CreateReleaseOption = t.Object(
  {
    tag_name: t.String({ minLength: 1, description: "Name of the tag" }),
    target_commitish: target,
    name: title,
    body: t.Optional(t.String()),
    draft: t.Optional(t.Boolean({ description: "A draft creates no tag" })),
    prerelease: t.Optional(t.Boolean()),
    hide_archive_links: t.Optional(t.Boolean()),
  },
  { $id: "CreateReleaseOption" },
);

export const EditReleaseOption = t.Object(
  {
    tag_name: t.Optional(t.String({ description: "Empty: as it is" })),
    target_commitish: target,
    name: title,
    body: t.Optional(t.String({ description: "Empty: as it is" })),
    draft: t.Optional(t.Boolean({ description: "false publishes a draft, true makes it one again" })),
    prerelease: t.Optional(t.Boolean()),
    hide_archive_links: t.Optional(t.Boolean()),
  },
  { $id: "EditReleaseOption" },
);
