import { resolve } from "node:path";
import { prepareFindSubject, type FindSubject } from "../auth/find-subject.ts";
import { hashPassword } from "../auth/password.ts";
import { serverDoer } from "../domain/doer.ts";
import type { Forge } from "../domain/forge.ts";
import { createOrganization } from "../domain/orgs/create-organization.ts";
import { createRepository } from "../domain/repos/create-repository.ts";
import { createToken } from "../domain/tokens/create-token.ts";
import { findUserByName } from "../domain/users/queries.ts";
import { generatePassword } from "../lib/generate-password.ts";
import { importBundle, openBundle, type OpenBundle } from "./import-bundle.ts";
import type { Seed, SeedRepository, SeedUser } from "./seed.ts";
import { atPlace } from "./seed-error.ts";
import { writeSeedCommits } from "./write-seed-commits.ts";
import type { Work } from "../domain/work.ts";
import { addUser } from "../domain/users/create-user.ts";

/** What whoever started the server cannot know otherwise, by user name. */
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
    Promise.all((seed.repositories ?? []).map((repository, index) => findBundle(repository, index, directory))),
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
  await forge.change(serverDoer("seed"), async (work) => {
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
    await atPlace(`repositories[${index}]`, () =>
      seedRepository(forge, findSubject, {
        repository,
        creator,
        bundle: bundles[index] ?? null,
        place: `repositories[${index}]`,
      }),
    );
  }
  return seeded;
}

function findBundle(repository: SeedRepository, index: number, directory: string): Promise<OpenBundle | null> {
  const { bundle } = repository;
  return bundle === undefined
    ? Promise.resolve(null)
    : atPlace(`repositories[${index}].bundle`, () => openBundle(resolve(directory, bundle)));
}

/** Answers the values of the user's tokens by name. */
async function seedUser(work: Work, user: SeedUser, passwordHash: string): Promise<Record<string, string>> {
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
  creator: string;
  bundle: OpenBundle | null;
  place: string;
}

async function seedRepository(
  forge: Forge,
  findSubject: FindSubject,
  { repository: wanted, creator, bundle, place }: RepositoryToSeed,
): Promise<void> {
  const user = await findUserByName(forge.database.db, creator);
  const { actor, owner } = await findSubject(user === null ? {} : { userId: user.id }, { ownerName: wanted.owner });
  if (actor === null || owner === null) {
    throw new Error(`The seed passed its checks without the owner "${wanted.owner}"`);
  }
  const defaultBranch = wanted.default_branch ?? bundle?.headBranch;
  const doer = serverDoer("seed", actor);
  const row = await createRepository(
    forge,
    doer,
    { owner: owner.owner, ownsOwner: true },
    {
      name: wanted.name,
      private: wanted.private ?? false,
      ...(defaultBranch === undefined ? {} : { defaultBranch }),
      ...(bundle === null ? {} : { objectFormat: bundle.header.format }),
    },
  );
  if (bundle !== null) {
    const { repository } = await findSubject({ userId: actor.id }, { repositoryId: row.id });
    if (repository !== null) {
      await atPlace(`${place}.bundle`, () => importBundle(forge, doer, repository, bundle));
    }
  }
  await writeSeedCommits(forge, doer, { repository: row, owner: owner.owner }, wanted.commits ?? [], place);
}
