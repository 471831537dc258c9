import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";

/** A version of a package: the family calls it so. */
export const Package = t.Object(
  {
    id: integer({ description: "Of the version" }),
    owner: nullable(User),
    repository: nullable(Repository),
    creator: nullable(User),
    type: t.String(),
    name: t.String(),
    version: t.String(),
    html_url: t.String(),
    created_at: dateTime(),
    download_count: integer({ description: "How often its files were downloaded; only this server says so" }),
  },
  { $id: "Package" },
);

const digest = (name: string) => t.String({ description: `${name} in hexadecimal` });

export const PackageFile = t.Object(
  {
    id: integer(),
    Size: integer({ description: "Bytes" }),
    name: t.String(),
    md5: digest("MD5"),
    sha1: digest("SHA-1"),
    sha256: digest("SHA-256"),
    sha512: digest("SHA-512"),
  },
  { $id: "PackageFile" },
);

const mostVersions = 100_000;
const mostDays = 36_500;

const ruleFields = {
  enabled: { description: "Whether the server follows it" },
  keep_count: { description: "So many of the newest versions of each package stay", minimum: 0, maximum: mostVersions },
  keep_pattern: { description: "Versions that fit this regular expression of RE2, as a whole and in any case, stay" },
  remove_days: { description: "Versions that came within so many days stay", minimum: 0, maximum: mostDays },
  remove_pattern: { description: "Only versions that fit this go; empty: all that nothing keeps" },
  match_full_name: { description: "Patterns are compared with PACKAGE/VERSION instead of the version alone" },
} as const;

export const PackageCleanupRule = t.Object(
  {
    id: integer(),
    type: t.String({ description: "Format of the packages" }),
    enabled: t.Boolean(ruleFields.enabled),
    keep_count: integer(ruleFields.keep_count),
    keep_pattern: t.String(ruleFields.keep_pattern),
    remove_days: integer(ruleFields.remove_days),
    remove_pattern: t.String(ruleFields.remove_pattern),
    match_full_name: t.Boolean(ruleFields.match_full_name),
    created_at: dateTime(),
    updated_at: dateTime(),
    followed_at: nullable(dateTime("When the server followed it last; null: not since it was set")),
  },
  { $id: "PackageCleanupRule" },
);

/** A missing field keeps no version and limits nothing. */
export const SetPackageCleanupRuleOption = t.Object(
  {
    enabled: t.Optional(t.Boolean({ description: `${ruleFields.enabled.description}; true where it is left out` })),
    keep_count: t.Optional(integer(ruleFields.keep_count)),
    keep_pattern: t.Optional(t.String(ruleFields.keep_pattern)),
    remove_days: t.Optional(integer(ruleFields.remove_days)),
    remove_pattern: t.Optional(t.String(ruleFields.remove_pattern)),
    match_full_name: t.Optional(t.Boolean(ruleFields.match_full_name)),
  },
  { $id: "SetPackageCleanupRuleOption" },
);
