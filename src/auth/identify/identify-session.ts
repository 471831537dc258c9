import { eq, getTableColumns, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { session } from "../../db/schema/credentials.ts";
import { hashToken } from "../access-token.ts";
import type { FindSubject, Target } from "../find-subject.ts";
import type { LastUse } from "../last-use.ts";
import type { Actor, Subject } from "../subject.ts";

export type SessionRow = typeof session.$inferSelect;

/** A browser's session, which may not be complete yet. */
export interface FoundSession {
  row: SessionRow;
  user: Actor;
  /** The step that is missing before the session is valid, or null. */
  missing: "second-factor" | "change-password" | null;
}

/**
 * Finds the user of a browser, and the target. Until the session is complete, the subject is nobody. `session` is null
 * without a session, with one that expired or ended, and with one whose user may not sign in any more.
 */
export type IdentifySession = (
  token: string | null,
  target: Target,
) => Promise<{ subject: Subject; session: FoundSession | null }>;

interface Parts {
  db: Database;
  findSubject: FindSubject;
  lastUse: LastUse;
  /** A session ends when it was not used for this many hours. */
  idleHours: number;
}

export function prepareIdentifySession({ db, findSubject, lastUse, idleHours }: Parts): IdentifySession {
  const findRow = db
    .select(getTableColumns(session))
    .from(session)
    .where(
      sql`${eq(session.hash, sql.placeholder("hash"))} and ${session.expiresAt} > now()
        and ${session.lastUsedAt} > now() - make_interval(hours => ${sql.raw(String(idleHours))})`,
    )
    .prepare("find_session");

  return async (token, target) => {
    const [row] = token === null ? [] : await findRow.execute({ hash: hashToken(token) });
    if (row !== undefined) {
      const found = await findSubject({ userId: row.userId }, target);
      const user = found.actor;
      if (user !== null) {
        lastUse.record("session", row.id);
        const missing = row.state === "second-factor" ? row.state : user.mustChangePassword ? "change-password" : null;
        if (missing === null) {
          const { owner, repository } = found;
          return {
            subject: { actor: user, credential: { kind: "session", sessionId: row.id }, owner, repository },
            session: { row, user, missing },
          };
        }
        return { subject: await asNobody(target), session: { row, user, missing } };
      }
    }
    return { subject: await asNobody(target), session: null };
  };

  async function asNobody(target: Target): Promise<Subject> {
    const { owner, repository } = await findSubject({}, target);
    return { actor: null, credential: { kind: "none" }, owner, repository };
  }
}
