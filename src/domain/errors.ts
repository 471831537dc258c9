import { StithyError } from "../lib/errors.ts";

/** Something that the caller named does not exist, or may not be known to exist. */
export class NotFound extends StithyError {
  constructor(what: string, name: string) {
    super("not-found", `There is no ${what} "${name}"`, { what, name });
  }
}

/** It was there when the request began, and was deleted while it was worked on. */
export class DeletedMeanwhile extends StithyError {
  constructor(what: string, name: string) {
    super("deleted-meanwhile", `The ${what} "${name}" was deleted in the meantime`, { what, name });
  }
}

/** It clashes with something that exists. */
export class Conflict extends StithyError {
  constructor(message: string, data: Record<string, unknown> = {}) {
    super("conflict", message, data);
  }
}

/** A user or organization has the name already. */
export class NameTaken extends StithyError {
  constructor(name: string) {
    super("name-taken", `The name "${name}" is taken`, { name });
  }
}

/** The caller is known and may not do this. */
export class Forbidden extends StithyError {
  constructor(message: string) {
    super("forbidden", message);
  }
}

/** The repository is kept as it is: it can be read and not changed. */
export class RepositoryArchived extends StithyError {
  constructor(name: string) {
    super("repository-archived", `The repository "${name}" is archived and cannot be changed`, { name });
  }
}
