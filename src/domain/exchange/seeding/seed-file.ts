import { dirname } from "node:path";
import type { FindSubject } from "../../../auth/find-subject.ts";
import { hashPassword } from "../../../auth/password.ts";
import type { RepositoryRow } from "../../../auth/subject.ts";
import type { Database } from "../../../db/client.ts";
import { seedDoer } from "../../spine/doer.ts";
import type { GitForge } from "../../spine/forge.ts";
import { createOrganization } from "../../identity/orgs/create-organization.ts";
import { findRepositoryByName } from "../../repos/queries.ts";
import { findFirstOwners, findOwners, findUsers, renewStatistics } from "./queries.ts";
import { atPlace, SeedError } from "./seed-error.ts";
import { findBundle, seedContents, seedRepository, seedUser, type SeededUsers } from "./apply-seed.ts";
import { inBatches, type Batch } from "./batches.ts";
import { problemsOf } from "./check-seed.ts";
import type { SeedRepository } from "./seed.ts";
import { readSeedParts } from "./seed-lines.ts";
import { ofKind, recordsOf, type LastNumbers, type SeedKind, type SeedRecord } from "./seed-records.ts";

/** The installation that a file is seeded into, with or without a running server. */
interface SeedTarget {
  readonly forge: GitForge;
  readonly db: Database;
  readonly findSubject: FindSubject;
}

/** Counts of a seed file's things that were made, and of those that existed. */
export interface SeedSummary {
  readonly made: Record<SeedKind | "comments", number>;
  readonly skipped: Record<SeedKind | "comments", number>;
  /** The tokens that were made up for users, by user and name. */
  readonly tokens: Record<string, Record<string, string>>;
}

/** Fewer rows change no plan that is worth it. */
const manyRows = 1000;

/** So many problems of a file are told at once. */
const mostProblems = 20;

const nothing = () => ({
  users: 0,
  organizations: 0,
  repositories: 0,
  labels: 0,
  milestones: 0,
  issues: 0,
  comments: 0,
});

/** Looks through a file before anything of it is made. Throws SeedError with the first problems. */
export async function checkSeedFile(path: string, passwordMinimum: number): Promise<void> {
  const problems: string[] = [];
  const parts = readSeedParts(path);
  for (;;) {
    try {
      const part = await parts.next();
      if (part.done === true) {
        break;
      }
      const { seed, prefix } = part.value;
      problems.push(...problemsOf(seed, passwordMinimum, false).map((problem) => prefix + problem));
    } catch (error) {
      if (!(error instanceof SeedError)) {
        throw error;
      }
      problems.push(...error.problems);
      break;
    }
    if (problems.length >= mostProblems) {
      break;
    }
  }
  if (problems.length > 0) {
    throw new SeedError(problems.slice(0, mostProblems));
  }
}

/**
 * Makes everything of a checked file that is not there yet, in units of work of some thousand rows: each is made whole or not at
 * all, and those before a failed one stay. `onProgress` hears bytes of the file. Throws SeedError.
 */
export async function seedFile(
  target: SeedTarget,
  path: string,
  onProgress: (bytes: number) => void,
): Promise<SeedSummary> {
  const summary: SeedSummary = { made: nothing(), skipped: nothing(), tokens: {} };
  const numbers: LastNumbers = new Map();
  const read = { bytes: 0 };
  async function* records(): AsyncGenerator<SeedRecord> {
    for await (const { seed, prefix, end } of readSeedParts(path)) {
      yield* recordsOf(seed, prefix, numbers);
      read.bytes = end;
    }
  }
  for await (const batch of inBatches(records())) {
    await seedBatch(target, batch, dirname(path), summary);
    onProgress(read.bytes);
  }
  onProgress(read.bytes);
  if (Object.values(summary.made).reduce((sum, made) => sum + made, 0) >= manyRows) {
    await renewStatistics(target.db);
  }
  return summary;
}

async function seedBatch(target: SeedTarget, batch: Batch, directory: string, summary: SeedSummary): Promise<void> {
  switch (batch[0].kind) {
    case "users":
      return seedUsers(target, batch, summary);
    case "organizations":
      return seedOrganizations(target, batch, summary);
    case "repositories":
      return seedRepositories(target, batch, directory, summary);
    default: {
      const contents = await target.forge.change(seedDoer(), (work) => seedContents(work, batch));
      for (const kind of ["labels", "milestones", "issues", "comments"] as const) {
        count(summary, kind, contents[kind]?.made ?? 0, contents[kind]?.skipped ?? 0);
      }
    }
  }
}

function count({ made, skipped }: SeedSummary, kind: SeedKind | "comments", more: number, left: number): void {
  made[kind] += more;
  skipped[kind] += left;
}

async function seedUsers({ forge, db }: SeedTarget, batch: Batch, summary: SeedSummary): Promise<void> {
  const records = ofKind(batch, "users");
  const present = await findOwners(
    db,
    records.map(({ value }) => value.username),
  );
  const added = records.filter(({ value }) => !present.has(value.username.toLowerCase()));
  const wrong = records.filter(({ value }) => present.get(value.username.toLowerCase())?.kind === "organization");
  refuse(wrong.map(({ place, value }) => `${place}.username: "${value.username}" is an organization`));
  // Outside of the transaction: each takes as long as thousands of rows. Without a password none signs in.
  const hashes = await Promise.all(
    added.map(({ value }) => (value.password === undefined ? null : hashPassword(value.password))),
  );
  const tokens: SeededUsers = {};
  await forge.change(seedDoer(), async (work) => {
    for (const [index, { place, value }] of added.entries()) {
      const made = await atPlace(place, () => seedUser(work, value, hashes[index] ?? null));
      tokens[value.username] = { tokens: made };
    }
  });
  for (const { value } of added) {
    const madeUp = (value.tokens ?? []).filter((token) => token.value === undefined);
    if (madeUp.length > 0) {
      const values = tokens[value.username]?.tokens ?? {};
      summary.tokens[value.username] = Object.fromEntries(madeUp.map(({ name }) => [name, values[name] ?? ""]));
    }
  }
  count(summary, "users", added.length, records.length - added.length);
}

async function seedOrganizations({ forge }: SeedTarget, batch: Batch, summary: SeedSummary): Promise<void> {
  const records = ofKind(batch, "organizations");
  const made = await forge.change(seedDoer(), async (work) => {
    const present = await findOwners(
      work.tx,
      records.map(({ value }) => value.name),
    );
    const users = await findUsers(
      work.tx,
      records.map(({ value }) => value.owner),
    );
    const isUser = (name: string) => present.get(name.toLowerCase())?.kind === "user";
    const added = records.filter(({ value }) => !present.has(value.name.toLowerCase()));
    refuse([
      ...records.flatMap(({ place, value }) => (isUser(value.name) ? `${place}.name: "${value.name}" is a user` : [])),
      ...added.flatMap(({ place, value }) =>
        users.has(value.owner.toLowerCase()) ? [] : `${place}.owner: there is no user "${value.owner}"`,
      ),
    ]);
    for (const { place, value } of added) {
      const ownerId = users.get(value.owner.toLowerCase())?.id ?? 0;
      await atPlace(place, () => createOrganization(work, { name: value.name, ownerId }));
    }
    return added.length;
  });
  count(summary, "organizations", made, records.length - made);
}

/** Each in units of work of its own, since commits are written between them. */
async function seedRepositories(
  { forge, db, findSubject }: SeedTarget,
  batch: Batch,
  directory: string,
  summary: SeedSummary,
): Promise<void> {
  const records = ofKind(batch, "repositories");
  const owners = await findOwners(
    db,
    records.map(({ value }) => value.owner),
  );
  const ownerOf = (name: string) => owners.get(name.toLowerCase());
  refuse(
    records.flatMap(({ place, value }) =>
      ownerOf(value.owner) === undefined ? `${place}.owner: there is no user or organization "${value.owner}"` : [],
    ),
  );
  const bundles = await Promise.all(records.map(({ place, value }) => findBundle(value, place, directory)));
  const firstOwners = await findFirstOwners(
    db,
    [...owners.values()].filter(({ kind }) => kind === "organization").map(({ id }) => id),
  );
  for (const [index, { place, value: repository }] of records.entries()) {
    const present = await findRepositoryByName(db, repository.owner, repository.name);
    if (present !== null && !(await isToBeFilled(forge, repository, present))) {
      count(summary, "repositories", 0, 1);
      continue;
    }
    const holder = ownerOf(repository.owner);
    const creatorId = holder?.kind === "organization" ? firstOwners.get(holder.id) : holder?.id;
    if (creatorId === undefined) {
      throw new SeedError([`${place}.owner: the organization "${repository.owner}" has no owner`]);
    }
    await atPlace(place, () =>
      seedRepository(forge, findSubject, { repository, creatorId, bundle: bundles[index] ?? null, place, present }),
    );
    count(summary, "repositories", 1, 0);
  }
}

/** Whether a repository lacks everything that the seed puts into it, as when a seed was ended between the two. */
async function isToBeFilled(
  forge: GitForge,
  { bundle, commits }: SeedRepository,
  row: RepositoryRow,
): Promise<boolean> {
  return (bundle !== undefined || (commits ?? []).length > 0) && (await forge.git.refs.listRefs(row.id)).length === 0;
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new SeedError(problems);
  }
}
