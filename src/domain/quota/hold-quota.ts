import type { Reader } from "../../db/client.ts";
import type { Config } from "../../config/config.ts";
import { warnCaller } from "../../lib/principal.ts";
import type { Event } from "../events.ts";
import type { NamedOwner, NamedRepository } from "../events/names.ts";
import type { Work } from "../work.ts";
import { QuotaExceeded } from "./errors.ts";
import { roomFor } from "./evaluate.ts";
import { deleteWarning, findGroupsOf, findRepositoryBytes, findUsage, insertWarning } from "./queries.ts";
import { partsOf, type QuotaSubject, type Usage } from "./subjects.ts";

/** Who uses more of what. */
interface Growth {
  readonly owner: NamedOwner;
  readonly subject: QuotaSubject;
  /** null: no repository grew. */
  readonly repository: NamedRepository | null;
  /** The store that grew, where it is not the code of the repository. */
  readonly store?: number;
}

/** What an event lets grow; null for nothing. */
function growthOf(event: Event): Growth | null {
  switch (event.kind) {
    case "refs.moved": {
      const { repository } = event;
      return event.packBytes === 0 ? null : { owner: repository.owner, subject: subjectOf(repository), repository };
    }
    case "lfs-object.stored":
      return {
        owner: event.repository.owner,
        subject: "size:git:lfs",
        repository: event.repository,
        store: event.store,
      };
    case "attachment.added":
    case "issue-attachment.added": {
      const subject =
        event.kind === "attachment.added" ? "size:assets:attachments:releases" : "size:assets:attachments:issues";
      return event.attachment.bytes === 0 ? null : { owner: event.repository.owner, subject, repository: null };
    }
    case "artifact.uploaded": {
      const { owner } = event.repository;
      return event.artifact.bytes === 0 ? null : { owner, subject: "size:assets:artifacts", repository: null };
    }
    case "package-file.added":
      return { owner: event.owner, subject: "size:assets:packages:all", repository: null };
    case "repository.created":
      return { owner: event.repository.owner, subject: subjectOf(event.repository), repository: null };
    case "repository.forked":
      return { owner: event.fork.owner, subject: "size:git:all", repository: event.fork };
    case "repository.transferred":
      return { owner: event.repository.owner, subject: "size:all", repository: null };
    default:
      return null;
  }
}

/** What the packs of a repository count for. */
function subjectOf({ private: isPrivate }: { private: boolean }): QuotaSubject {
  return isPrivate ? "size:repos:private" : "size:repos:public";
}

/**
 * Refuses what lets an owner use more than they may, whatever way it came in. It hears of it in the transaction that has
 * added the bytes: whoever adds bytes of the same owner waits for its end, so that two cannot pass a limit together. What takes
 * nothing more is never refused. Throws QuotaExceeded.
 */
export async function holdQuota(work: Work, event: Event): Promise<void> {
  const growth = growthOf(event);
  if (growth === null) {
    return;
  }
  const { quota } = work.config;
  if (growth.repository !== null && quota.repository_limit_bytes > 0) {
    const bytes = await findRepositoryBytes(work.tx, growth.store ?? growth.repository.id);
    if (bytes > quota.repository_limit_bytes) {
      throw repositoryTooLarge(growth.repository, bytes, quota.repository_limit_bytes);
    }
  }
  if (quota.enforced) {
    const { usage, room } = await findRoom(work.tx, work.config, growth.owner.id, growth.subject);
    const used = sizeOf(usage, growth.subject);
    if (room < 0) {
      throw QuotaExceeded.ofOwner(growth.owner.name, growth.subject, used, -room);
    }
    if (quota.warning_percent > 0) {
      const isScarce = room * 100 < (used + room) * (100 - quota.warning_percent);
      if (isScarce) {
        warnCaller(`"${growth.owner.name}" may use ${room} bytes more of ${growth.subject}, and uses ${used}`);
      }
      await noteWarning(work, growth, isScarce, growth.repository ?? ("repository" in event ? event.repository : null));
    }
  }
}

/** Has the owner told once that their room is scarce; again only after it was not. */
async function noteWarning(
  work: Work,
  { owner }: Growth,
  isScarce: boolean,
  place: NamedRepository | null,
): Promise<void> {
  if (!isScarce) {
    await deleteWarning(work.tx, owner.id);
  } else if (place !== null && (await insertWarning(work.tx, owner.id))) {
    work.tell({ kind: "quota.warned", owner, repository: place });
  }
}

function repositoryTooLarge({ owner, name }: NamedRepository, bytes: number, limit: number): QuotaExceeded {
  return new QuotaExceeded(
    `The repository "${owner.name}/${name}" would be ${bytes} bytes; ${limit} are the most that one may be`,
    { repository: `${owner.name}/${name}`, used: bytes, limit },
  );
}

async function findRoom(db: Reader, config: Config, ownerId: number, subject: QuotaSubject) {
  const [usage, groups] = await Promise.all([
    findUsage(db, ownerId),
    findGroupsOf(db, ownerId, config.quota.default_groups),
  ]);
  return { usage, room: roomFor(groups, usage, subject) };
}

function sizeOf(usage: Usage, subject: QuotaSubject): number {
  return [...partsOf([subject])].reduce((sum, part) => sum + usage[part], 0);
}

/** A place for bytes that are about to come. */
export interface Room {
  /** How many may come; infinite where nothing limits them. */
  readonly bytes: number;
  /** What to throw when more come: of so many that have come. */
  refusal(received: number): QuotaExceeded;
}

/** A pack of so few bytes may bring nothing, as where a push only names what is there: it is decided about when it is there. */
const smallPack = 4096;

interface Place {
  readonly repository: { readonly id: number; readonly name: string; readonly private: boolean };
  readonly owner: NamedOwner;
}

/**
 * How many bytes more may come into a repository: `packs` or `lfs`. It is looked up before they come, so that they are refused while they
 * do; `holdQuota` decides when they are there.
 */
export async function findRoomFor(db: Reader, config: Config, place: Place, what: "packs" | "lfs"): Promise<Room> {
  const { repository, owner } = place;
  const limit = config.quota.repository_limit_bytes;
  const subject = what === "lfs" ? "size:git:lfs" : subjectOf(repository);
  const [ofRepository, ofOwner] = await Promise.all([
    limit === 0 ? null : findRepositoryBytes(db, repository.id),
    config.quota.enforced ? findRoom(db, config, owner.id, subject) : null,
  ]);
  const inRepository = ofRepository === null ? Number.POSITIVE_INFINITY : limit - ofRepository;
  const ownerRoom = ofOwner?.room ?? Number.POSITIVE_INFINITY;
  return {
    bytes: Math.max(what === "packs" ? smallPack : 0, Math.min(inRepository, ownerRoom)),
    refusal(received) {
      if (ofOwner !== null && ownerRoom <= inRepository) {
        const used = sizeOf(ofOwner.usage, subject);
        return new QuotaExceeded(
          `The quota of "${owner.name}" is exceeded: ${used} bytes of ${subject} are used, ${Math.max(0, ownerRoom)} more are allowed, and at least ${received} are sent`,
          { owner: owner.name, subject, used, received },
        );
      }
      return new QuotaExceeded(
        `The repository "${owner.name}/${repository.name}" has ${ofRepository} bytes of at most ${limit}, and at least ${received} more are sent`,
        { repository: `${owner.name}/${repository.name}`, used: ofRepository, limit, received },
      );
    },
  };
}
