import { largestInlineFile } from "../../domain/git/contents/content-reader.ts";
import type { Api } from "../common/api.ts";
import { treePageSize, defaultPageSize, maximumPageSize } from "../common/paging.ts";
import { ok } from "../common/responses.ts";
import { GeneralAPISettings, GeneralAttachmentSettings, GeneralRepoSettings, GeneralUISettings } from "./schema.ts";

/** Limits that clients read before they ask for more, and what they need not try. */
export function settingRoutes({ forge, group }: Api) {
  return group("/settings", { tag: "settings", scopes: [], may: { on: "instance", do: "use" } })
    .get(
      "/api",
      {
        operationId: "getGeneralAPISettings",
        summary: "Get the limits of the API",
        responses: ok(GeneralAPISettings, "The limits"),
      },
      () => ({
        default_paging_num: defaultPageSize,
        max_response_items: maximumPageSize,
        default_git_trees_per_page: treePageSize,
        default_max_blob_size: largestInlineFile,
      }),
    )
    .get(
      "/repository",
      {
        operationId: "getGeneralRepositorySettings",
        summary: "Get what repositories of this server cannot do",
        responses: ok(GeneralRepoSettings, "What is disabled"),
      },
      () => ({
        forks_disabled: false,
        http_git_disabled: false,
        lfs_disabled: !forge.config.lfs.enabled,
        migrations_disabled: false,
        mirrors_disabled: false,
        stars_disabled: false,
        time_tracking_disabled: false,
      }),
    )
    .get(
      "/ui",
      {
        operationId: "getGeneralUISettings",
        summary: "Get what the pages offer",
        responses: ok(GeneralUISettings, "What they offer"),
      },
      () => ({ allowed_reactions: [...forge.config.issues.reactions], custom_emojis: [], default_theme: "auto" }),
    )
    .get(
      "/attachment",
      {
        operationId: "getGeneralAttachmentSettings",
        summary: "Get the limits of attachments",
        responses: ok(GeneralAttachmentSettings, "The limits"),
      },
      () => {
        const { allowed_types: types, files, file_limit_bytes: bytes } = forge.config.attachments;
        return {
          enabled: true,
          allowed_types: types.join(","),
          max_files: files,
          max_size: Math.floor(bytes / (1024 * 1024)),
        };
      },
    );
}
