import type { RepositoryAccess } from "../../auth/subject.ts";
import { StithyError } from "../../lib/errors.ts";
import { serverDoer } from "../doer.ts";
import type { Forge } from "../forge.ts";
import { hasTag } from "../refs/queries.ts";
import { findReleaseRow, insertRelease } from "../releases/queries.ts";
import { RemoteFailed } from "../remotes/errors.ts";
import { storedAddress, type RemoteCredentials } from "../remotes/remote-address.ts";
import { seedIssues, type IssueToSeed } from "../seeding/seed-issues.ts";
import { seedLabels, seedMilestones } from "../seeding/seed-labels.ts";
import { getNamedUser } from "../users/queries.ts";
import { FamilyClient } from "./family-client.ts";
import type { MigrationRow } from "./queries.ts";
import { instantOf, itemOf, readComment, readIssue, readLabel, readMilestone, textOf } from "./read-items.ts";
import type { MigratedItems } from "./start-migration.ts";

/** More issues than this are not held in memory at once. */
const mostIssues = 100_000;
/** Issues that are written in one transaction. */
const issuesAtOnce = 20;
const doer = serverDoer("migration");

export interface BringItems {
  migration: MigrationRow;
  access: RepositoryAccess;
  credentials: RemoteCredentials | null;
  items: MigratedItems;
  note: (step: string, percentage: number) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Brings labels, milestones, issues with their comments, and releases by the API of a server of this family. Nobody is told of them, and what
 * is there already is left as it is. Numbers of issues stay. Texts say who wrote them there; whoever asked for the migration is their author
 * here. Throws RemoteFailed.
 */
export async function bringItems(forge: Forge, request: BringItems): Promise<void> {
  const { migration, access, credentials, items, note, signal } = request;
  const client = new FamilyClient(forge.outbound, storedAddress(migration.address), credentials, signal);
  const repository = `${access.owner.name}/${access.repository.name}`;
  const labels = new Set<string>();
  const milestones = new Set<string>();
  if (items.labels) {
    await note("labels", 50);
    for await (const { items: page } of client.pages("/labels")) {
      const read = page.flatMap((value) => readLabel(value, repository) ?? []);
      await forge.change(doer, (work) => seedLabels(work, read));
      read.forEach(({ name }) => labels.add(name));
    }
  }
  if (items.milestones) {
    await note("milestones", 55);
    for await (const { items: page } of client.pages("/milestones?state=all")) {
      const read = page.flatMap((value) => readMilestone(value, repository) ?? []);
      await forge.change(doer, (work) => seedMilestones(work, read));
      read.forEach(({ title }) => milestones.add(title));
    }
  }
  if (items.issues) {
    const { name: author } = await getNamedUser(forge.database.db, migration.actorId);
    await bringIssues(forge, client, request, { repository, author, labels, milestones });
  }
  if (items.releases) {
    await note("releases", 95);
    for await (const { items: page } of client.pages("/releases")) {
      for (const value of page) {
        await bringRelease(forge, request, value);
      }
    }
  }
}

async function bringIssues(
  forge: Forge,
  client: FamilyClient,
  { note }: BringItems,
  known: Parameters<typeof readIssue>[1],
): Promise<void> {
  await note("issues", 60);
  const all = [];
  for await (const { items: page, total } of client.pages("/issues?state=all&type=issues")) {
    if (total > mostIssues) {
      throw new RemoteFailed("refused", `The other repository has more than ${mostIssues} issues`);
    }
    all.push(...page.map((value) => readIssue(value, known)).filter(({ number }) => number > 0));
  }
  // Servers list the newest first. One that came while they were listed may stand twice.
  const sorted = [...new Map(all.map((issue) => [issue.number, issue])).values()].sort((a, b) => a.number - b.number);
  for (let at = 0; at < sorted.length; at += issuesAtOnce) {
    const some: IssueToSeed[] = [];
    for (const { commentCount, ...issue } of sorted.slice(at, at + issuesAtOnce)) {
      const comments = [];
      if (commentCount > 0) {
        for await (const { items: page } of client.pages(`/issues/${issue.number}/comments`)) {
          comments.push(...page.map((value) => readComment(value, known.author)));
        }
      }
      some.push({ ...issue, comments });
    }
    await forge
      .change(doer, (work) => seedIssues(work, some, { gaps: true }))
      .catch((error: unknown) => {
        throw error instanceof StithyError && error.code === "seed"
          ? new RemoteFailed("refused", `An issue could not be brought: ${error.message}`)
          : error;
      });
    await note("issues", 60 + Math.floor((35 * (at + some.length)) / sorted.length));
  }
}

/** Brings a release whose tag is there and has none. Drafts have no tag, and stay where they are. */
async function bringRelease(forge: Forge, { access, migration }: BringItems, value: unknown): Promise<void> {
  const item = itemOf(value);
  const tagName = textOf(item["tag_name"]);
  const repositoryId = access.repository.id;
  if (item["draft"] === true || tagName === "") {
    return;
  }
  await forge.change(doer, async ({ tx }) => {
    const isFree = (await findReleaseRow(tx, repositoryId, { tag: tagName })) === null;
    if (isFree && (await hasTag(tx, repositoryId, tagName))) {
      const at = instantOf(item["published_at"]) ?? instantOf(item["created_at"]) ?? new Date();
      await insertRelease(tx, repositoryId, {
        tagName,
        title: textOf(item["name"]).slice(0, 255),
        body: textOf(item["body"]),
        target: textOf(item["target_commitish"]).slice(0, 255),
        draft: false,
        prerelease: item["prerelease"] === true,
        hideArchiveLinks: false,
        authorId: migration.actorId,
        publishedAt: at,
      });
    }
  });
}
