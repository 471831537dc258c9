import { t } from "elysia";
import { mergeStyles, objectFormats, trustModels, updateStyles } from "../../db/schema/repositories.ts";
import { oneOf } from "../common/schema.ts";
import { ExternalTracker, ExternalWiki, InternalTracker } from "./schema.ts";

export const CreateRepoOption = t.Object(
  {
    name: t.String({ minLength: 1, maxLength: 100, description: "Letters, digits, -, _ and ." }),
    description: t.Optional(t.String({ maxLength: 2048 })),
    private: t.Optional(t.Boolean()),
    template: t.Optional(t.Boolean({ description: "Others may be made from it" })),
    default_branch: t.Optional(
      t.String({ maxLength: 100, description: "Name of the first branch; the server's own default if absent" }),
    ),
    object_format_name: t.Optional(oneOf(objectFormats, "The hash that names objects; sha1 if absent")),
    trust_model: t.Optional(oneOf(trustModels, "Whose signatures count")),
    issue_labels: t.Optional(t.String({ description: "Name of the set of labels to begin with" })),
    auto_init: t.Optional(t.Boolean({ description: "Make a first commit" })),
    readme: t.Optional(t.String({ description: "Template of its README: Default" })),
    gitignores: t.Optional(
      t.String({ description: "Templates of its .gitignore, separated by commas; needs auto_init" }),
    ),
    license: t.Optional(t.String({ description: "Key of its license; needs auto_init" })),
  },
  { $id: "CreateRepoOption" },
);

const flag = (description?: string) => t.Optional(t.Boolean(description === undefined ? {} : { description }));

export const EditRepoOption = t.Object(
  {
    name: t.Optional(t.String({ maxLength: 100, description: "The new name; the old one leads to it" })),
    description: t.Optional(t.String({ maxLength: 2048 })),
    website: t.Optional(t.String({ maxLength: 1024 })),
    private: flag(),
    template: flag(),
    archived: flag("An archived repository can be read and not changed"),
    default_branch: t.Optional(t.String({ maxLength: 100, description: "Must exist, unless the repository is empty" })),
    has_code: flag(),
    has_issues: flag("True without external_tracker: with the server's own tracker"),
    internal_tracker: t.Optional(InternalTracker),
    external_tracker: t.Optional(ExternalTracker),
    has_wiki: flag("True without external_wiki: with the server's own wiki"),
    external_wiki: t.Optional(ExternalWiki),
    globally_editable_wiki: flag("Everybody who is signed in may write the wiki"),
    wiki_branch: t.Optional(t.String({ maxLength: 100 })),
    has_pull_requests: flag(),
    has_projects: flag(),
    has_releases: flag(),
    has_packages: flag(),
    has_actions: flag(),
    ignore_whitespace_conflicts: flag(),
    allow_merge_commits: flag(),
    allow_rebase: flag(),
    allow_rebase_explicit: flag(),
    allow_squash_merge: flag(),
    allow_fast_forward_only_merge: flag(),
    allow_manual_merge: flag(),
    autodetect_manual_merge: flag(),
    allow_rebase_update: flag(),
    default_delete_branch_after_merge: flag(),
    default_merge_style: t.Optional(oneOf(mergeStyles)),
    default_update_style: t.Optional(oneOf(updateStyles)),
    default_allow_maintainer_edit: flag(),
    mirror_interval: t.Optional(t.String({ description: "Only for mirrors" })),
    enable_prune: flag("Only for mirrors"),
  },
  { $id: "EditRepoOption" },
);
