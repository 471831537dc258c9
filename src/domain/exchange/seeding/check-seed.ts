import { InvalidScope, normalizeScopes } from "../../../auth/scopes.ts";
import { checkEmail, checkOwnerName, checkRepositoryName } from "../../identity/owners/names.ts";
import { checkTitle } from "../../work/issues/create-issue.ts";
import { checkPassword } from "../../identity/users/check-password.ts";
import { isBranchName } from "../../../git/refs/ref-name.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import type { Seed, SeedUser } from "./seed.ts";
import { SeedError } from "./seed-error.ts";

/** Checks what needs no database: names, passwords, scopes, and that everything referred to is there. Throws SeedError with all problems. */
export function checkSeed(seed: Seed, passwordMinimum: number): void {
  const problems = [...problemsOf(seed, passwordMinimum, true)];
  if (problems.length > 0) {
    throw new SeedError(problems);
  }
}

/** The problems of a seed, or of a part of one: what a part refers to may be in another one. */
export function problemsOf(seed: Seed, passwordMinimum: number, isWhole: boolean): string[] {
  const problems: string[] = [];
  const check = (place: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof InvalidInput || error instanceof InvalidScope)) {
        throw error;
      }
      problems.push(`${place}: ${error.message}`);
    }
  };
  const once = (seen: Set<string>, place: string, key: string, what: string) => {
    if (seen.has(key.toLowerCase())) {
      problems.push(`${place}: ${what} "${key}" is there twice`);
    }
    seen.add(key.toLowerCase());
  };

  const owners = new Set<string>();
  const tokenValues = new Set<string>();
  const users = new Set((seed.users ?? []).map((user) => user.username.toLowerCase()));
  for (const [index, user] of (seed.users ?? []).entries()) {
    const place = `users[${index}]`;
    check(`${place}.username`, () => checkOwnerName(user.username));
    once(owners, `${place}.username`, user.username, "the name");
    check(`${place}.email`, () => user.email !== undefined && checkEmail(user.email));
    check(`${place}.password`, () => user.password !== undefined && checkPassword(user.password, passwordMinimum));
    checkTokens(user, place, { check, once, problems, tokenValues });
  }
  for (const [index, organization] of (seed.organizations ?? []).entries()) {
    const place = `organizations[${index}]`;
    check(`${place}.name`, () => checkOwnerName(organization.name));
    once(owners, `${place}.name`, organization.name, "the name");
    if (isWhole && !users.has(organization.owner.toLowerCase())) {
      problems.push(`${place}.owner: there is no user "${organization.owner}"`);
    }
  }
  const repositories = new Set<string>();
  for (const [index, repository] of (seed.repositories ?? []).entries()) {
    const place = `repositories[${index}]`;
    check(`${place}.name`, () => checkRepositoryName(repository.name));
    once(repositories, `${place}.name`, `${repository.owner}/${repository.name}`, "the repository");
    if (isWhole && !owners.has(repository.owner.toLowerCase())) {
      problems.push(`${place}.owner: there is no user or organization "${repository.owner}"`);
    }
    if (repository.default_branch !== undefined && !isBranchName(repository.default_branch)) {
      problems.push(`${place}.default_branch: no branch can be named "${repository.default_branch}"`);
    }
  }
  for (const [index, { repository, organization }] of (seed.labels ?? []).entries()) {
    if ((repository === undefined) === (organization === undefined)) {
      problems.push(`labels[${index}]: a label belongs to a repository or to an organization: name one of them`);
    }
  }
  for (const [index, milestone] of (seed.milestones ?? []).entries()) {
    checkInstants(milestone, `milestones[${index}]`, problems);
  }
  for (const [index, issue] of (seed.issues ?? []).entries()) {
    const place = `issues[${index}]`;
    check(`${place}.title`, () => checkTitle(issue.title));
    checkInstants(issue, place, problems);
    for (const [number, comment] of (issue.comments ?? []).entries()) {
      checkInstants(comment, `${place}.comments[${number}]`, problems);
    }
  }
  for (const kind of isWhole ? (["labels", "milestones", "issues"] as const) : []) {
    for (const [index, { repository }] of (seed[kind] ?? []).entries()) {
      if (repository !== undefined && !repositories.has(repository.toLowerCase())) {
        problems.push(`${kind}[${index}].repository: there is no repository "${repository}"`);
      }
    }
  }
  return problems;
}

const instants = ["due_date", "created_at", "closed_at"] as const;

/** Their form was checked before. */
function checkInstants(value: Partial<Record<(typeof instants)[number], string>>, place: string, problems: string[]) {
  for (const field of instants) {
    const given = value[field];
    if (given !== undefined && Number.isNaN(Date.parse(given))) {
      problems.push(`${place}.${field}: "${given}" is no date`);
    }
  }
}

interface Checks {
  check: (place: string, run: () => void) => void;
  once: (seen: Set<string>, place: string, key: string, what: string) => void;
  problems: string[];
  tokenValues: Set<string>;
}

function checkTokens(user: SeedUser, place: string, { check, once, problems, tokenValues }: Checks): void {
  const names = new Set<string>();
  for (const [index, token] of (user.tokens ?? []).entries()) {
    const tokenPlace = `${place}.tokens[${index}]`;
    once(names, `${tokenPlace}.name`, token.name, "the name");
    check(`${tokenPlace}.scopes`, () => normalizeScopes(token.scopes, user.admin ?? false));
    if (token.value !== undefined && tokenValues.has(token.value)) {
      problems.push(`${tokenPlace}.value: another token has the same value`);
    }
    if (token.value !== undefined) {
      tokenValues.add(token.value);
    }
  }
}
