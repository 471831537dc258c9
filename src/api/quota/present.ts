import type { Static } from "elysia";
import type {
  QuotaGroup as QuotaGroupSchema,
  QuotaInfo,
  QuotaRuleInfo,
  QuotaUsedArtifact,
  QuotaUsedAttachment,
  QuotaUsedPackage,
} from "./schema.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { QuotaGroup, QuotaRule } from "../../domain/identity/quota/evaluate.ts";
import { partsBy, partsOf, sizeOf, type Usage } from "../../domain/identity/quota/subjects.ts";
import type { UsedArtifact, UsedAttachment } from "../../domain/identity/quota/used-queries.ts";

/** A rule as the family's QuotaRuleInfo. Administrators alone are told the names that they gave. */
export function presentRule({ name, limit, subjects }: QuotaRule, isNamed = true): Static<typeof QuotaRuleInfo> {
  return { ...(isNamed ? { name } : {}), limit, subjects: [...subjects] };
}

export function presentGroup({ name, rules }: QuotaGroup, isNamed = true): Static<typeof QuotaGroupSchema> {
  return { ...(isNamed ? { name } : {}), rules: rules.map((rule) => presentRule(rule, isNamed)) };
}

/** Presents the use of an owner, and the groups that limit it, as the family's QuotaInfo. */
export function presentQuota(usage: Usage, groups: readonly QuotaGroup[], isNamed: boolean): Static<typeof QuotaInfo> {
  const size = {
    ...presentSizes(usage),
    wiki: usage.wikis + usage.guestsWikis,
    pictures: usage.pictures,
    texts: usage.texts + usage.guestsTexts,
    guests: sizeOf(usage, partsBy("guests", partsOf(["size:all"]))),
  };
  return { used: { size }, groups: groups.map((group) => presentGroup(group, isNamed)) };
}

/** Bytes by subject as the family's QuotaUsedSize, with what guests brought. */
export function presentSizes(usage: Usage) {
  return {
    repos: { public: usage.reposPublic + usage.guestsPublic, private: usage.reposPrivate + usage.guestsPrivate },
    git: { LFS: usage.gitLfs + usage.guestsLfs },
    assets: {
      artifacts: usage.artifacts,
      attachments: { issues: usage.attachmentsIssues + usage.guestsIssues, releases: usage.attachmentsReleases },
      packages: { all: usage.packages },
    },
  };
}

/** An artifact of one of the owner's repositories as the family's QuotaUsedArtifact. */
export function presentUsedArtifact(
  addresses: Addresses,
  owner: string,
  { id, name, bytes, repository }: UsedArtifact,
): Static<typeof QuotaUsedArtifact> {
  return { name, size: bytes, html_url: `${addresses.artifactApi(owner, repository, id)}/content` };
}

/** A version of a package as the family's QuotaUsedPackage. */
export function presentUsedPackage(
  addresses: Addresses,
  owner: string,
  { type, name, version, bytes }: { type: string; name: string; version: string; bytes: number },
): Static<typeof QuotaUsedPackage> {
  return { name, type, version, size: bytes, html_url: addresses.packageVersion(owner, type, name, version) };
}

/** A file of one of the owner's repositories as the family's QuotaUsedAttachment. */
export function presentUsedAttachment(
  addresses: Addresses,
  owner: string,
  row: UsedAttachment,
): Static<typeof QuotaUsedAttachment> {
  const container = containerOf(addresses, owner, row);
  return {
    name: row.name,
    size: row.bytes,
    api_url: `${container.api_url}/assets/${row.id}`,
    contained_in: container,
  };
}

function containerOf(addresses: Addresses, owner: string, { repository, release, issue, commentId }: UsedAttachment) {
  if (release !== null) {
    return {
      api_url: addresses.releaseApi(owner, repository, release.id),
      html_url: addresses.release(owner, repository, release.tagName),
    };
  }
  if (issue === null) {
    throw new Error("An attachment belongs to nothing");
  }
  const page = addresses.discussion(owner, repository, issue);
  return commentId === null
    ? { api_url: addresses.repositoryApi(owner, repository, `/issues/${issue.number}`), html_url: page }
    : {
        api_url: addresses.repositoryApi(owner, repository, `/issues/comments/${commentId}`),
        html_url: `${page}#issuecomment-${commentId}`,
      };
}
