import { outboxedOfAccounts, type AccountEvent } from "./events/accounts.ts";
import { outboxedOfHooks, type HookEvent } from "./events/hooks.ts";
import { outboxedOfIssues, type IssueEvent } from "./events/issues.ts";
import { outboxedOfMirrors, type MirrorEvent } from "./events/mirrors.ts";
import { outboxedOfPackages, type PackageEvent } from "./events/packages.ts";
import { outboxedOfPulls, type PullEvent } from "./events/pulls.ts";
import { outboxedOfQuotas, type QuotaEvent } from "./events/quota.ts";
import { outboxedOfRepositories, type RepositoryEvent } from "./events/repositories.ts";
import { outboxedOfTimes, type TimeEvent } from "./events/times.ts";
import { outboxedOfSecrets, type SecretEvent } from "./events/secrets.ts";

/**
 * Everything that can happen, told only when it has changed something, as those who hear of it need it: subscribers inside the transaction (`subscribers.ts`), and
 * receivers after the commit (`receivers.ts`), when rows may be gone. Who did it is the doer of the unit of work. A kind is
 * `noun.past-participle`; add one to the file of its noun in `events/`, say there whether it is outboxed, and tell it in the use case.
 */
export type Event =
  | AccountEvent
  | HookEvent
  | MirrorEvent
  | IssueEvent
  | PackageEvent
  | PullEvent
  | QuotaEvent
  | RepositoryEvent
  | SecretEvent
  | TimeEvent;

export type EventKind = Event["kind"];

/** Whether an event goes into the outbox: receivers are told what others may see, not how somebody signs in. */
export const outboxed: Readonly<Record<EventKind, boolean>> = {
  ...outboxedOfRepositories,
  ...outboxedOfIssues,
  ...outboxedOfMirrors,
  ...outboxedOfPackages,
  ...outboxedOfPulls,
  ...outboxedOfTimes,
  ...outboxedOfQuotas,
  ...outboxedOfAccounts,
  ...outboxedOfSecrets,
  ...outboxedOfHooks,
};
