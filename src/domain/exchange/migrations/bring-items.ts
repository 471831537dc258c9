import type { RepositoryAccess } from "../../../auth/subject.ts";
import { StithyError } from "../../../lib/errors.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { RemoteFailed } from "../remotes/errors.ts";
import { storedAddress, type RemoteCredentials } from "../remotes/remote-address.ts";
import { seedIssues, type IssueToSeed } from "../seeding/seed-issues.ts";
import { seedLabels, seedMilestones } from "../seeding/seed-labels.ts";
import { bringReleases } from "./bring-releases.ts";
import { openPullPlace, preparePull, readReviews, writePull, type PullPlace } from "./bring-pulls.ts";
import { findLastNumber, type MigrationRow } from "./queries.ts";
import { itemOf, readComment, readIssue, readLabel, readMilestone, type IssueToBring } from "./read-items.ts";
import { readPull, type SourcePull } from "./read-pulls.ts";
import { SourceAuthors } from "./source-authors.ts";
import { SourceClient } from "./source-client.ts";
import type { MigratedItems } from "./start-migration.ts";

/** More issues than this are not held in memory at once. */
const mostIssues = 100_000;
const mostLabels = 5000;
const mostMilestones = 5000;
/** The texts of all issues are held until the last has come, since they are written in the order of their numbers. */
const mostCharacters = 256 * 1024 * 1024;
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

/** Items that could not be brought as they are at the source. */
export interface LeftItems {
  /** Pull requests whose commits are not there any more: they are issues here. */
  pullsWithoutCommits: number;
  /** Files of releases that this server does not take. */
  files: number;
}

/**
 * Brings labels, milestones, issues and pull requests with their comments, and releases by the API of a server of this family, or of GitHub. Nobody is
 * told of them, and what is there already is left as it is. Numbers stay. Texts keep who wrote them there. Those whose author
 * has no account here say so, and the user who asked for the migration is their author here. Throws RemoteFailed.
 */
export async function bringItems(forge: Forge, request: BringItems): Promise<LeftItems> {
  const { migration, access, credentials, items, note, signal } = request;
  const address = storedAddress(migration.address);
  const client = new SourceClient(forge, address, items.service, credentials, signal);
  const repository = `${access.owner.name}/${access.repository.name}`;
  const labels = new Set<string>();
  const milestones = new Set<string>();
  if (items.labels) {
    await note("labels", 50);
    for await (const { items: page } of client.pages("/labels", mostLabels)) {
      const read = page.flatMap((value) => readLabel(value, repository) ?? []);
      await forge.change(doer, (work) => seedLabels(work, read));
      read.forEach(({ name }) => labels.add(name));
    }
  }
  if (items.milestones) {
    await note("milestones", 55);
    for await (const { items: page } of client.pages("/milestones?state=all", mostMilestones)) {
      const read = page.flatMap((value) => readMilestone(value, repository) ?? []);
      await forge.change(doer, (work) => seedMilestones(work, read));
      read.forEach(({ title }) => milestones.add(title));
    }
  }
  const authors = await SourceAuthors.open(forge.database.db, migration.actorId, items.authors);
  const known = { repository, authors, authorOf: authors.of, labels, milestones };
  const pullsWithoutCommits = items.issues || items.pulls ? await bringNumbered(forge, client, request, known) : 0;
  let files = 0;
  if (items.releases) {
    let releases = 0;
    const onRelease = () => note(`releases: ${++releases}`, 95);
    await note("releases", 95);
    files = await bringReleases(forge, client, { access, authors, signal, onRelease });
  }
  return { pullsWithoutCommits, files };
}

/** Labels and milestones, which issues refer to. */
type Known = Parameters<typeof readIssue>[1] & { authors: SourceAuthors };

/** An issue, or a pull request, which has one. */
interface Numbered {
  issue: IssueToBring;
  pull: SourcePull | null;
}

/** Both kinds in the order of their numbers, which they share. Returns how many pull requests became issues. */
async function bringNumbered(
  forge: Forge,
  client: SourceClient,
  { items, note, access, migration }: BringItems,
  known: Known,
): Promise<number> {
  await note("issues", 60);
  // Servers list the newest first. One that came while they were listed may stand twice.
  const all = new Map<number, Numbered>();
  let characters = 0;
  const add = (total: number, numbered: Numbered) => {
    characters += numbered.issue.body.length;
    if (characters > mostCharacters) {
      throw new RemoteFailed(
        "refused",
        `The issues of the other repository have more than ${mostCharacters} characters`,
      );
    }
    if (Math.max(total, all.size) > mostIssues) {
      throw new RemoteFailed("refused", `The other repository has more than ${mostIssues} issues`);
    }
    if (numbered.issue.number > 0) {
      all.set(numbered.issue.number, numbered);
    }
  };
  if (items.issues) {
    const type = client.service === "gitea" ? "&type=issues" : "";
    for await (const { items: page, total } of client.pages(`/issues?state=all${type}`, 2 * mostIssues)) {
      await known.authors.learn(page);
      page
        .filter((value) => itemOf(value)["pull_request"] == null)
        .forEach((value) => add(total, { issue: readIssue(value, known), pull: null }));
    }
  }
  if (items.pulls) {
    for await (const { items: page, total } of client.pages("/pulls?state=all", mostIssues)) {
      await known.authors.learn(page);
      page.forEach((value) => add(total, { issue: readIssue(value, known), pull: readPull(value) }));
    }
  }
  const sorted = [...all.values()].sort((a, b) => a.issue.number - b.issue.number);
  const last = await findLastNumber(forge.database.db, access.repository.id);
  const place = items.pulls ? await openPullPlace(forge, access) : null;
  let withoutCommits = 0;
  for (let at = 0; at < sorted.length; at += issuesAtOnce) {
    const some: IssueToSeed[] = [];
    for (const { issue, pull } of sorted.slice(at, at + issuesAtOnce)) {
      const whole = await readWhole(forge, client, {
        issue,
        pull,
        place,
        isThere: issue.number <= last,
        migration,
        known,
      });
      withoutCommits += pull !== null && whole.asPull === undefined ? 1 : 0;
      some.push(whole);
    }
    await forge
      .change(doer, (work) => seedIssues(work, some, { gaps: true }))
      .catch((error: unknown) => {
        throw error instanceof StithyError && error.code === "seed"
          ? new RemoteFailed("refused", `An issue could not be brought: ${error.message}`)
          : error;
      });
    const done = at + some.length;
    await note(`issues: ${done} of ${sorted.length}`, 60 + Math.floor((35 * done) / sorted.length));
  }
  return withoutCommits;
}

interface ReadWhole extends Numbered {
  place: PullPlace | null;
  /** It was brought before: nothing more of it is asked for. */
  isThere: boolean;
  migration: MigrationRow;
  known: Known;
}

async function readWhole(
  forge: Forge,
  client: SourceClient,
  { issue: { commentCount, ...issue }, pull, place, isThere, migration, known }: ReadWhole,
): Promise<IssueToSeed> {
  const brought = pull === null || place === null ? null : await preparePull(forge, place, pull);
  const reviews = brought === null || isThere ? [] : await readReviews(client, known.authors, issue.number);
  const comments = isThere || commentCount === 0 ? [] : await client.all(`/issues/${issue.number}/comments`);
  await known.authors.learn(comments);
  return {
    ...issue,
    comments: comments.map((value) => readComment(value, known.authorOf)),
    ...(brought === null
      ? {}
      : { asPull: (work, id) => writePull(work, id, migration.actorId, { pull: brought, reviews }) }),
  };
}
