import { t } from "elysia";
import { integer, nullable } from "../common/schema.ts";

export const GeneralAPISettings = t.Object(
  {
    default_paging_num: integer({ description: "Size of a page where none is asked for" }),
    max_response_items: integer({ description: "Size of the largest page" }),
    default_git_trees_per_page: integer({ description: "Entries on a page of a tree" }),
    default_max_blob_size: integer({ description: "Bytes of the largest file whose content is told in JSON" }),
  },
  { $id: "GeneralAPISettings" },
);

export const GeneralRepoSettings = t.Object(
  {
    forks_disabled: t.Boolean(),
    http_git_disabled: t.Boolean(),
    lfs_disabled: t.Boolean(),
    migrations_disabled: t.Boolean(),
    mirrors_disabled: t.Boolean(),
    stars_disabled: t.Boolean(),
    time_tracking_disabled: t.Boolean(),
  },
  { $id: "GeneralRepoSettings", description: "What this server does not do" },
);

export const GeneralUISettings = t.Object(
  {
    allowed_reactions: nullable(t.Array(t.String())),
    custom_emojis: nullable(t.Array(t.String())),
    default_theme: t.String(),
  },
  { $id: "GeneralUISettings" },
);

export const GeneralAttachmentSettings = t.Object(
  {
    enabled: t.Boolean(),
    allowed_types: t.String({ description: "Media types and endings, divided by commas; empty: all" }),
    max_files: integer({ description: "Files of one release" }),
    max_size: integer({ description: "MiB of a file" }),
  },
  { $id: "GeneralAttachmentSettings" },
);
