import { openDatabase, type DatabaseClient } from "../../../db/client.ts";
import type { ConnectionTarget } from "../../../db/connection-options.ts";
import { StithyError, messageOf } from "../../../lib/errors.ts";
import type { Logger } from "../../../lib/log.ts";

/** Another server runs on the database. */
export class DatabaseInUse extends StithyError {
  constructor(holder: string) {
    super(
      "conflict",
      "database-in-use",
      `Another server (${holder}) uses this database: two of them would remove each other's files. Stop the other one, or give this one a database and a data directory of its own`,
      { holder },
    );
  }
}

/** The first of the two keys of the advisory lock; the second is made of the installation's id. */
const lockClass = 748_481;
/**
 * The database needs about this many looks to notice that a server that was killed is gone: five seconds, and longer on a
 * busy machine, where each look takes longer, too.
 */
const looks = 20;
const pollMs = 250;

/**
 * The lock that one server of an installation has on an outside database: an advisory lock of a session of its own, on
 * which nothing moves. It ends with the connection, and is taken again when the database is back. Two servers with copies
 * of one data directory are kept from one database by it; a pooler between must not share sessions.
 */
export class ServerLock implements AsyncDisposable {
  /** Rejects with DatabaseInUse when the connection was lost and another server has the lock. */
  readonly lost: Promise<never>;
  readonly #fail: (error: Error) => void;
  readonly #closed = new AbortController();
  #database: DatabaseClient | null = null;
  #retaking = false;
  /** The session that has the lock, or had it. */
  #session: string | null = null;

  private constructor(
    private readonly installationId: string,
    private readonly log: Logger,
  ) {
    const { promise, reject } = Promise.withResolvers<never>();
    // Handles the rejection now; those who await it still get it.
    promise.catch(() => {});
    this.lost = promise;
    this.#fail = reject;
  }

  /** Waits for the lock through twenty looks, at least five seconds. Throws DatabaseInUse. */
  static async take(target: ConnectionTarget, installationId: string, log: Logger): Promise<ServerLock> {
    const lock = new ServerLock(installationId, log);
    lock.#database = openDatabase({
      target,
      connections: 1,
      statementTimeoutMs: 10_000,
      onClose: () => void lock.#retake(),
    });
    try {
      for (let look = 1; !(await lock.#tryTake()); look += 1) {
        if (look > looks) {
          throw new DatabaseInUse(await lock.#holder());
        }
        await Bun.sleep(pollMs);
      }
      return lock;
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #tryTake(): Promise<boolean> {
    if (this.#database === null) {
      return false;
    }
    // A machine that is switched off says no goodbye: the database asks every half a minute whether it is there.
    const [row] = await this.#database.sql<{ taken: boolean; session: string }[]>`
      select pg_try_advisory_lock(${lockClass}::int, hashtext(${this.installationId})) as taken,
        (select a.pid || ' ' || a.backend_start from pg_stat_activity a where a.pid = pg_backend_pid()) as session,
        set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false)`;
    if (row?.taken === true) {
      this.#session = row.session;
      return true;
    }
    return false;
  }

  /**
   * Describes the holder of the lock, as far as this user may see it. A session that was this server's own is ended.
   */
  async #holder(): Promise<string> {
    if (this.#database === null) {
      return "unknown";
    }
    const [found] = await this.#database.sql<{ address: string | null; since: string | null }[]>`
      select host(a.client_addr) as address, to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
        case when a.pid || ' ' || a.backend_start = ${this.#session ?? ""} then pg_terminate_backend(a.pid) end as ended
      from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.objsubid = 2
        and l.classid::bigint = ${lockClass} and l.objid::bigint = hashtext(${this.installationId})::bigint & 4294967295
        and l.database = (select oid from pg_database where datname = current_database())`;
    return `connected from ${found?.address ?? "this machine"}${found?.since == null ? "" : ` since ${found.since}`}`;
  }

  /** Takes the lock again after its connection was lost. */
  async #retake(): Promise<void> {
    if (this.#retaking || this.#session === null || this.#closed.signal.aborted) {
      return;
    }
    this.#retaking = true;
    try {
      let look = 0;
      while (!this.#closed.signal.aborted) {
        try {
          if (await this.#tryTake()) {
            return;
          }
          const holder = await this.#holder();
          // Only looks that the database answered count.
          look += 1;
          if (look > looks) {
            this.#fail(new DatabaseInUse(holder));
            return;
          }
        } catch (error) {
          this.log.debug({ reason: messageOf(error) }, "The lock on the database cannot be taken again yet");
        }
        await Bun.sleep(pollMs);
      }
    } finally {
      this.#retaking = false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#database?.[Symbol.asyncDispose]();
  }
}
