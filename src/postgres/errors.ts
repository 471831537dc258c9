import { StithyError } from "../lib/errors.ts";

/** No PostgreSQL programs for this platform, or an archive that is damaged. */
export class PostgresUnavailable extends StithyError {
  constructor(message: string, options?: ErrorOptions) {
    super("busy", "postgres-unavailable", message, {}, options);
  }
}

/** Another server of this project runs on the directory. */
export class DirectoryInUse extends StithyError {
  constructor(readonly directory: string) {
    super(
      "conflict",
      "postgres-directory-in-use",
      `Another server, or a command, uses the database directory ${directory}: wait for it or stop it, or give this one a directory of its own`,
      {
        directory,
      },
    );
  }
}

/** The cluster was written by another major version, or is no cluster at all; `found` is null then. */
export class IncompatibleCluster extends StithyError {
  constructor(
    readonly directory: string,
    readonly found: string | null,
    wanted: string,
  ) {
    super(
      "fault",
      "postgres-incompatible-cluster",
      found === null
        ? `${directory} is not a PostgreSQL data directory: it has no PG_VERSION file`
        : `The data in ${directory} was written by PostgreSQL ${found} and this server contains PostgreSQL ${wanted}: start the version that wrote it, or dump the data with it and load it here`,
      { directory, found, wanted },
    );
  }
}

/** PostgreSQL does not run as root, and no other way to run it works here; `directory` is the one that is closed. */
export class NoAccount extends StithyError {
  constructor(
    message: string,
    readonly directory: string | null = null,
  ) {
    super("fault", "postgres-no-account", message, directory === null ? {} : { directory });
  }
}

/** initdb or the server failed; the message ends with the last lines it printed. */
export class PostgresFailed extends StithyError {
  constructor(message: string, output: readonly string[], options?: ErrorOptions) {
    super(
      "fault",
      "postgres-failed",
      output.length === 0 ? message : `${message}: ${output.join(" / ")}`,
      { output },
      options,
    );
  }
}
