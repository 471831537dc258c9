import { StithyError } from "../../lib/errors.ts";

/** A resource that the caller named does not exist, or the caller may not know that it does. */
export class NotFound extends StithyError {
  constructor(what: string, name: string) {
    super("absent", "not-found", `There is no ${what} "${name}"`, { what, name });
  }
}

/** A resource was deleted while the request was running. */
export class DeletedMeanwhile extends StithyError {
  constructor(what: string, name: string) {
    super("busy", "deleted-meanwhile", `The ${what} "${name}" was deleted in the meantime`, { what, name });
  }
}

/**
 * The change came too late: what it refers to was deleted while it was written, or the database ended it for another one
 * (a deadlock). Trying again may work. `cause`: what the database said.
 */
export class Overtaken extends StithyError {
  constructor(message: string, cause: unknown) {
    super("busy", "overtaken", message, {}, { cause });
  }
}

/** The change conflicts with an existing resource. */
export class Conflict extends StithyError {
  constructor(message: string, data: Record<string, unknown> = {}) {
    super("conflict", "conflict", message, data);
  }
}

/** Another user or organization has the name. */
export class NameTaken extends StithyError {
  constructor(name: string) {
    super("conflict", "name-taken", `The name "${name}" is taken`, { name });
  }
}

/** The operation needs a signed-in user. */
export class SignInRequired extends StithyError {
  constructor() {
    super("unauthenticated", "sign-in-required", "Sign in with a user name and a password or token");
  }
}

/** The token lacks a scope. `needed` lists all that the operation needs. */
export class ScopeMissing extends StithyError {
  constructor(needed: string) {
    super("forbidden", "scope-missing", `The token does not have the required scope: ${needed}`, { needed });
  }
}

/** The signed-in caller may not do this. */
export class Forbidden extends StithyError {
  constructor(message: string) {
    super("forbidden", "forbidden", message);
  }
}

/** The repository follows one elsewhere: the server alone moves its branches and tags. `name` is its full name. */
export class RepositoryIsMirror extends StithyError {
  constructor(name: string) {
    super(
      "forbidden",
      "repository-mirror",
      `The repository "${name}" is a mirror of another one: nobody but the server changes its branches and tags`,
      { name },
    );
  }
}

/** The repository is archived: it can be read, not changed. `name` is its full name. */
export class RepositoryArchived extends StithyError {
  constructor(name: string) {
    super(
      "forbidden",
      "repository-archived",
      `The repository "${name}" is archived: unarchive it in its settings to change it`,
      {
        name,
      },
    );
  }
}

/** Only organizations have teams, and the owner of the repository is a user. */
export class NotOfOrganization extends StithyError {
  constructor(name: string) {
    super("invalid", "method-not-allowed", `"${name}" is a user, and only repositories of organizations have teams`);
  }
}
