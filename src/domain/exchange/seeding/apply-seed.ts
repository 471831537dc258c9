import { resolve } from "node:path";
import { prepareFindSubject, type FindSubject } from "../../../auth/find-subject.ts";
import { hashPassword } from "../../../auth/password.ts";
import type { RepositoryRow } from "../../../auth/subject.ts";
import { seedDoer } from "../../spine/doer.ts";
import type { Forge, GitForge } from "../../spine/forge.ts";
import { createOrganization } from "../../identity/orgs/create-organization.ts";
import { createEmpty, readNewRepository } from "../../repos/create-repository.ts";
import { seedIssues } from "./seed-issues.ts";
import type { Seeded } from "./seeded.ts";
import { seedLabels, seedMilestones } from "./seed-labels.ts";
import { createToken } from "../../identity/tokens/create-token.ts";
import { findUserByName } from "../../identity/users/queries.ts";
import { generatePassword } from "../../../lib/generate-password.ts";
import { inBatches, type Batch } from "./batches.ts";
import { importBundle, openBundle, type OpenBundle } from "./import-bundle.ts";
import type { Seed, SeedRepository, SeedUser } from "./seed.ts";
import { recordsOf, valuesOf } from "./seed-records.ts";
import { atPlace } from "./seed-error.ts";
import { writeSeedCommits } from "./write-seed-commits.ts";
import type { Work } from "../../spine/work.ts";
import { addUser } from "../../identity/users/create-user.ts";

/** Passwords and tokens that the seed made, by user name. */
export type SeededUsers = Record<string, { password?: string; tokens: Record<string, string> }>;

/** A checked seed with what can be made of it before there is a forge. */
export interface PreparedSeed {
  readonly seed: Seed;
  readonly users: readonly {
    readonly user: SeedUser;
    readonly generated: string | null;
    readonly passwordHash: string;
  }[];
  /** One for each repository. */
  readonly bundles: readonly (OpenBundle | null)[];
}

/** Hashes passwords, which takes the most time, all at once, and looks into the bundles. Throws SeedError. */
export async function prepareSeed(seed: Seed, directory: string): Promise<PreparedSeed> {
  const [users, bundles] = await Promise.all([
    Promise.all((seed.users ?? []).map(prepareUser)),
    Promise.all(
      (seed.repositories ?? []).map((repository, index) => findBundle(repository, `repositories[${index}]`, directory)),
    ),
  ]);
  return { seed, users, bundles };
}

async function prepareUser(user: SeedUser): Promise<PreparedSeed["users"][number]> {
  const generated = user.password === undefined ? generatePassword() : null;
  return { user, generated, passwordHash: await hashPassword(user.password ?? generated ?? "") };
}

/** Fills an empty forge. Ids rise in the seed's order. Throws SeedError. */
export async function applySeed(forge: Forge, { seed, users, bundles }: PreparedSeed): Promise<SeededUsers> {
  const seeded: SeededUsers = {};
  await forge.change(seedDoer(), async (work) => {
    for (const [index, { user, generated, passwordHash }] of users.entries()) {
      const tokens = await atPlace(`users[${index}]`, () => seedUser(work, user, passwordHash));
      seeded[user.username] = { ...(generated === null ? {} : { password: generated }), tokens };
    }
    for (const [index, { name, owner }] of (seed.organizations ?? []).entries()) {
      const ownerId = (await findUserByName(work.tx, owner))?.id ?? 0;
      await atPlace(`organizations[${index}]`, () => createOrganization(work, { name, ownerId }));
    }
  });
  const findSubject = prepareFindSubject(forge.database.db);
  const organizationOwners = new Map((seed.organizations ?? []).map(({ name, owner }) => [name.toLowerCase(), owner]));
  for (const [index, repository] of (seed.repositories ?? []).entries()) {
    const creator = organizationOwners.get(repository.owner.toLowerCase()) ?? repository.owner;
    const creatorId = (await findUserByName(forge.database.db, creator))?.id ?? 0;
    await atPlace(`repositories[${index}]`, () =>
      seedRepository(forge, findSubject, {
        repository,
        creatorId,
        present: null,
        bundle: bundles[index] ?? null,
        place: `repositories[${index}]`,
      }),
    );
  }
  const { labels = [], milestones = [], issues = [] } = seed;
  for await (const batch of inBatches(recordsOf({ labels, milestones, issues }, "", new Map()))) {
    await forge.change(seedDoer(), async (work) => void (await seedContents(work, batch)));
  }
  return seeded;
}

/** The results for each kind in a batch. */
type Contents = Partial<Record<"labels" | "milestones" | "issues" | "comments", Seeded>>;

/** Makes what repositories and organizations contain. Throws SeedError. */
export async function seedContents(work: Work, [first, ...rest]: Batch): Promise<Contents> {
  const batch = [first, ...rest];
  switch (first.kind) {
    case "labels":
      return { labels: await seedLabels(work, valuesOf(batch, "labels")) };
    case "milestones":
      return { milestones: await seedMilestones(work, valuesOf(batch, "milestones")) };
    case "issues":
      return seedIssues(work, valuesOf(batch, "issues"));
    default:
      throw new Error(`Nothing contains ${first.kind}`);
  }
}

export function findBundle({ bundle }: SeedRepository, place: string, directory: string): Promise<OpenBundle | null> {
  return bundle === undefined
    ? Promise.resolve(null)
    : atPlace(`${place}.bundle`, () => openBundle(resolve(directory, bundle)));
}

/** Answers the values of the user's tokens by name. */
export async function seedUser(
  work: Work,
  user: SeedUser,
  passwordHash: string | null,
): Promise<Record<string, string>> {
  const { username, admin = false } = user;
  const email = user.email ?? `${username.toLowerCase()}@localhost`;
  const userId = await addUser(work, {
    name: username,
    email,
    fullName: "",
    passwordHash,
    isAdmin: admin,
    mustChangePassword: false,
  });
  const tokens: Record<string, string> = {};
  for (const { name, scopes, value: given } of user.tokens ?? []) {
    const { value } = await createToken(
      work,
      { userId, userIsAdmin: admin, name, scopes, ...(given === undefined ? {} : { value: given }) },
      Infinity,
    );
    tokens[name] = value;
  }
  return tokens;
}

interface RepositoryToSeed {
  repository: SeedRepository;
  /** The user in whose name it is made. */
  creatorId: number;
  bundle: OpenBundle | null;
  place: string;
  /** Its row where it is there already, and empty; null: it is made. */
  present: RepositoryRow | null;
}

/** Makes a repository, if it is not there, and fills it. */
export async function seedRepository(
  forge: GitForge,
  findSubject: FindSubject,
  { repository: wanted, creatorId, bundle, place, present }: RepositoryToSeed,
): Promise<void> {
  const { actor, owner } = await findSubject({ userId: creatorId }, { ownerName: wanted.owner });
  if (actor === null || owner === null) {
    throw new Error(`The seed passed its checks without the owner "${wanted.owner}"`);
  }
  const defaultBranch = wanted.default_branch ?? bundle?.headBranch;
  const doer = seedDoer(actor);
  const creation = { owner: owner.owner, ownsOwner: true };
  const columns = readNewRepository(forge, doer, creation, {
    name: wanted.name,
    private: wanted.private ?? false,
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
    ...(bundle === null ? {} : { objectFormat: bundle.header.format }),
  });
  const row = present ?? (await forge.change(doer, (work) => createEmpty(work, creation, columns)));
  if (bundle !== null) {
    const { repository } = await findSubject({ userId: actor.id }, { repositoryId: row.id });
    if (repository !== null) {
      await atPlace(`${place}.bundle`, () => importBundle(forge, doer, repository, bundle));
    }
  }
  await writeSeedCommits(forge, doer, { repository: row, owner: owner.owner }, wanted.commits ?? [], place);
}
