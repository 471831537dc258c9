import { t } from "elysia";
import { integer, nullable } from "../common/schema.ts";

export const QuotaRuleInfo = t.Object(
  {
    limit: integer({ description: "Bytes that the subjects may take together" }),
    name: t.Optional(t.String({ description: "Shown to site administrators" })),
    subjects: t.Array(t.String()),
  },
  { $id: "QuotaRuleInfo" },
);

export const QuotaGroup = t.Object(
  {
    name: t.Optional(t.String({ description: "Shown to site administrators" })),
    rules: t.Array(QuotaRuleInfo, { description: "A group stands when all of them stand" }),
  },
  { $id: "QuotaGroup" },
);

const bytes = () => integer({ description: "Bytes" });

const QuotaUsedSize = t.Object(
  {
    repos: t.Object({ public: bytes(), private: bytes() }, { $id: "QuotaUsedSizeRepos" }),
    git: t.Object({ LFS: bytes() }, { $id: "QuotaUsedSizeGit" }),
    assets: t.Object(
      {
        artifacts: bytes(),
        attachments: t.Object({ issues: bytes(), releases: bytes() }, { $id: "QuotaUsedSizeAssetsAttachments" }),
        packages: t.Object({ all: bytes() }, { $id: "QuotaUsedSizeAssetsPackages" }),
      },
      { $id: "QuotaUsedSizeAssets" },
    ),
    wiki: t.Optional(bytes()),
    pictures: t.Optional(bytes()),
    texts: t.Optional(
      integer({ description: "Bytes of issues and comments, with what they were before they were edited" }),
    ),
    guests: t.Optional(
      integer({
        description:
          "Bytes of all these that others brought who do not write to the repositories: they have a share of their own",
      }),
    ),
  },
  { $id: "QuotaUsedSize" },
);

export const QuotaInfo = t.Object(
  {
    used: t.Object({ size: QuotaUsedSize }, { $id: "QuotaUsed" }),
    groups: t.Array(QuotaGroup, {
      description: "Those given to the owner, or else the default ones; it is enough that one of them stands",
    }),
  },
  { $id: "QuotaInfo" },
);

export const QuotaDay = t.Object(
  { day: t.String({ format: "date", description: "In UTC" }), size: QuotaUsedSize },
  { $id: "QuotaDay" },
);

export const QuotaUsedAttachment = t.Object(
  {
    name: t.String(),
    size: bytes(),
    api_url: t.String(),
    contained_in: t.Object({ api_url: t.String(), html_url: t.String() }),
  },
  { $id: "QuotaUsedAttachment" },
);

export const QuotaUsedArtifact = t.Object(
  { name: t.String(), size: bytes(), html_url: t.String() },
  { $id: "QuotaUsedArtifact" },
);

export const QuotaUsedPackage = t.Object(
  { name: t.String(), type: t.String(), version: t.String(), size: bytes(), html_url: t.String() },
  { $id: "QuotaUsedPackage" },
);

const limit = t.Optional(nullable(integer({ description: "Bytes, not negative" })));
const subjects = t.Optional(
  nullable(t.Array(t.String({ maxLength: 100 }), { maxItems: 100, description: "Such as `size:repos:all`" })),
);

export const CreateQuotaRuleOptions = t.Object(
  { name: t.Optional(t.String()), limit, subjects },
  { $id: "CreateQuotaRuleOptions" },
);

export const EditQuotaRuleOptions = t.Object({ limit, subjects }, { $id: "EditQuotaRuleOptions" });

export const CreateQuotaGroupOptions = t.Object(
  {
    name: t.Optional(t.String()),
    rules: t.Optional(
      nullable(
        t.Array(CreateQuotaRuleOptions, {
          description: "New ones, and those that there are: by their names alone, or as they are",
        }),
      ),
    ),
  },
  { $id: "CreateQuotaGroupOptions" },
);

export const SetUserQuotaGroupsOptions = t.Object(
  {
    groups: nullable(
      t.Array(t.String(), { maxItems: 1000, description: "Names; none or null: the user has the default groups" }),
    ),
  },
  { $id: "SetUserQuotaGroupsOptions" },
);
