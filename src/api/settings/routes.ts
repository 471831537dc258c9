import { Elysia } from "elysia";
import { largestInlineFile } from "../../domain/contents/content-reader.ts";
import type { Api } from "../common/api.ts";
import { treePageSize, defaultPageSize, maximumPageSize } from "../common/paging.ts";
import { ok } from "../common/responses.ts";
import { GeneralAPISettings, GeneralAttachmentSettings, GeneralRepoSettings, GeneralUISettings } from "./schema.ts";

/** Limits that clients read before they ask for more, and what they need not try. */
export function settingRoutes({ forge, endpoint }: Api) {
  return new Elysia({ prefix: "/settings" })
    .get(
      "/api",
      ...endpoint(
        {
          operationId: "getGeneralAPISettings",
          tag: "settings",
          summary: "Get the limits of the API",
          scopes: [],
          may: { on: "instance", do: "use" },
          responses: ok(GeneralAPISettings, "The limits"),
        },
        () => ({
          default_paging_num: defaultPageSize,
          max_response_items: maximumPageSize,
          default_git_trees_per_page: treePageSize,
          default_max_blob_size: largestInlineFile,
        }),
      ),
    )
    .get(
      "/repository",
      ...endpoint(
        {
          operationId: "getGeneralRepositorySettings",
          tag: "settings",
          summary: "Get what repositories of this server cannot do",
          scopes: [],
          may: { on: "instance", do: "use" },
          responses: ok(GeneralRepoSettings, "What is disabled"),
        },
        // A client that believes these offers nothing that would answer 404.
        () => ({
          forks_disabled: true,
          http_git_disabled: false,
          lfs_disabled: !forge.config.lfs.enabled,
          migrations_disabled: true,
          mirrors_disabled: true,
          stars_disabled: false,
          time_tracking_disabled: true,
        }),
      ),
    )
    .get(
      "/ui",
      ...endpoint(
        {
          operationId: "getGeneralUISettings",
          tag: "settings",
          summary: "Get what the pages offer",
          scopes: [],
          may: { on: "instance", do: "use" },
          responses: ok(GeneralUISettings, "What they offer"),
        },
        // One look, light or dark as the browser wants it; nothing to react to.
        () => ({ allowed_reactions: [], custom_emojis: [], default_theme: "auto" }),
      ),
    )
    .get(
      "/attachment",
      ...endpoint(
        {
          operationId: "getGeneralAttachmentSettings",
          tag: "settings",
          summary: "Get the limits of attachments",
          scopes: [],
          may: { on: "instance", do: "use" },
          responses: ok(GeneralAttachmentSettings, "The limits"),
        },
        () => ({ enabled: false, allowed_types: "", max_files: 0, max_size: 0 }),
      ),
    );
}
