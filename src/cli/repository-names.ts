import { Argument, Option } from "commander";
import type { Database } from "../db/client.ts";
import { NotFound } from "../domain/spine/errors.ts";
import { CommandFailure } from "./command-failure.ts";
import { exitCodes } from "./exit-codes.ts";

/** A repository that a command works on. */
export interface NamedRepository {
  id: number;
  /** owner/name */
  fullName: string;
}

export function repositoryArgument(): Argument {
  return new Argument("[owner/name]", "the repository; owner/name.wiki is its wiki");
}

export function allOption(): Option {
  return new Option("--all", "work on every repository");
}

/** The two parts of owner/name. Throws CommandFailure when it has others. */
export function parseFullName(fullName: string): { owner: string; name: string } {
  const [owner, name, ...rest] = fullName.split("/");
  if (!owner || !name || rest.length > 0) {
    throw new CommandFailure(`"${fullName}" does not name a repository: write owner/name`, exitCodes.wrong);
  }
  return { owner, name };
}

/** Throws CommandFailure unless exactly one of a name and --all is given. */
export function checkNameOrAll(fullName: string | undefined, all: boolean | undefined): void {
  if ((fullName === undefined) !== (all === true)) {
    throw new CommandFailure("Name one repository as owner/name, or give --all", exitCodes.wrong);
  }
  if (fullName !== undefined) {
    parseFullName(fullName);
  }
}

/** The repository of a name, or its wiki for owner/name.wiki; or all of them. Throws NotFound. */
export async function chosenRepositories(db: Database, fullName: string | undefined): Promise<NamedRepository[]> {
  const { findMaintainedByName, listRepositoryNames } = await import("../domain/server/maintenance/queries.ts");
  if (fullName === undefined) {
    return listRepositoryNames(db);
  }
  const { owner, name } = parseFullName(fullName);
  const found = await findMaintainedByName(db, owner, name);
  if (found === null) {
    throw new NotFound("repository", fullName);
  }
  return [{ id: found.id, fullName }];
}
