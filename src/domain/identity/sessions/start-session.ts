import { randomBytes } from "node:crypto";
import { hashToken } from "../../../auth/access-token.ts";
import { deleteSession, deleteSessions, insertSession, noteSignIn } from "./queries.ts";
import type { Work } from "../../spine/work.ts";

/** How long somebody who gave the password may look for their second factor. */
const secondFactorMinutes = 10;

export interface NewSession {
  userId: number;
  state: "second-factor" | "signed-in";
  lifetimeHours: number;
  /** The session that the browser has now, of any user. It ends. */
  replaces: { id: number; userId: number } | null;
  address: string;
  userAgent: string;
}

/** A random token of 256 bits, as it stands in a cookie. */
export function newBrowserToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Starts a browser's session and answers its token, which is kept nowhere. Each step of signing in makes a new one, so
 * that a token that somebody put into the browser before is worth nothing.
 */
export async function startSession(work: Work, session: NewSession): Promise<string> {
  const { tx } = work;
  const { userId, state, replaces, address, userAgent } = session;
  const token = newBrowserToken();
  const minutes = state === "second-factor" ? secondFactorMinutes : session.lifetimeHours * 60;
  if (replaces !== null) {
    await deleteSession(tx, replaces.userId, replaces.id);
  }
  await insertSession(tx, {
    hash: hashToken(token),
    userId,
    state,
    expiresAt: new Date(Date.now() + minutes * 60_000),
    address,
    userAgent: userAgent.slice(0, 300),
  });
  if (state === "signed-in") {
    await noteSignIn(tx, userId);
  }
  return token;
}

/** Ends one session of a user; of another user's nothing happens. */
export async function endSession(work: Work, userId: number, id: number): Promise<void> {
  await deleteSession(work.tx, userId, id);
}

/** Ends all of a user's sessions, but for the one that is kept. */
export async function endSessions(work: Work, userId: number, keptId: number | null): Promise<void> {
  await deleteSessions(work.tx, userId, keptId);
}
