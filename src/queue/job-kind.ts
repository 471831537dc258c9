import { Type, type Static, type TSchema } from "typebox";

/** The schemas of payloads by the names of their kinds. The file of each kind in `src/jobs/` adds a line. */
// oxlint-disable-next-line no-empty-object-type, no-empty-interface
export interface JobSchemas {}
export type JobName = keyof JobSchemas;
/** The payload of a kind. */
export type JobPayload<Kind extends JobName> = Static<JobSchemas[Kind]>;

/** One sort of background work: what it is told, and the bounds it runs in. */
export interface JobKind {
  /** Plain JSON. It holds ids and no secrets: everybody who can read the database, or a copy of it, can read a payload. */
  readonly payload: TSchema;
  /** How often it is tried in all. Between tries it rests for e, e², e³ … seconds, at most 6 hours. */
  readonly attempts: number;
  /** A run that takes longer is aborted and counts as failed. */
  readonly timeLimitMs: number;
  /** How many run at the same time, in all processes. */
  readonly concurrency: number;
  /**
   * How many of one principal run at the same time; others of theirs wait for a turn (`claim.ts`). Nobody gets a second place that is the
   * last one. Absent: as many as there are places. For kinds of which one principal may ask for many, or long ones.
   */
  readonly each?: number;
  /** It comes into the queue by itself, so long after each multiple of `everySeconds` since 1970; once, however many processes there are. */
  readonly schedule?: { readonly everySeconds: number; readonly offsetSeconds: number };
}

/** Kinds of jobs by their names. */
export type JobKinds = Readonly<Record<string, JobKind>>;

/** A credential by the id of its row: nothing of it is secret, and nothing of it opens anything. */
const CredentialReference = Type.Union([
  Type.Object({ kind: Type.Literal("none") }),
  Type.Object({ kind: Type.Literal("password"), userId: Type.Integer(), stamp: Type.String() }),
  Type.Object({ kind: Type.Union([Type.Literal("proxy"), Type.Literal("kerberos")]), userId: Type.Integer() }),
  Type.Object({ kind: Type.Literal("session"), sessionId: Type.Integer() }),
  Type.Object({ kind: Type.Literal("token"), tokenId: Type.Integer() }),
  Type.Object({ kind: Type.Literal("ssh-key"), keyId: Type.Integer() }),
]);
export type CredentialReference = Static<typeof CredentialReference>;

/**
 * On whose authority a job runs: the server's own, or a user's with what they came with. The latter is looked up again
 * when the job runs, and decided about again (`jobs/perform-job.ts`), so that whoever has lost a right has no job left that
 * uses it.
 */
export const JobDoer = Type.Union([
  Type.Object({ kind: Type.Literal("server"), reason: Type.String() }),
  Type.Object({ kind: Type.Literal("user"), actorId: Type.Integer(), credential: CredentialReference }),
]);
export type JobDoer = Static<typeof JobDoer>;
