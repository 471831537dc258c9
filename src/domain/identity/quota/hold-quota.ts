import type { RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import type { Config } from "../../../config/config.ts";
import { warnCaller } from "../../../lib/request-context.ts";
import type { Event } from "../../spine/events.ts";
import type { NamedOwner, NamedRepository } from "../../spine/events/names.ts";
import { isGuestOfWiki, isWikiStore, wikiStoreOf } from "../../git/wiki-stores/wiki-store.ts";
import type { Work } from "../../spine/work.ts";
import { QuotaExceeded } from "./errors.ts";
import { roomForParts } from "./evaluate.ts";
import { hasGuestBytes } from "./guest-queries.ts";
import { deleteWarning, findGroupsOf, findRepositoryBytes, findUsage, hasPicture, insertWarning } from "./queries.ts";
import { partsBy, partsOf, sizeOf, type Bringer, type QuotaSubject, type UsagePart } from "./subjects.ts";

/** A growth of an owner's use: its subject, and whether the owner or guests cause it. */
interface Growth {
  readonly owner: NamedOwner;
  readonly subject: QuotaSubject;
  /** "guests" where nothing is said of what they bring, "owner" of all else. */
  readonly by?: Bringer;
  /** Where it is less than the subject. */
  readonly parts?: ReadonlySet<UsagePart>;
  /** null: no repository grew. */
  readonly repository: NamedRepository | null;
  /** The store that grew, where it is not the code of the repository. */
  readonly store?: number;
  /** Nothing grew if this is not so. */
  readonly onlyIf?: (db: Reader) => Promise<boolean>;
}

/** Returns the growth that an event causes in the share of guests, beside `growthOf`; null for none. */
function guestGrowthOf(event: Event): Growth | null {
  if (event.kind !== "repository.transferred") {
    return null;
  }
  const { id, owner } = event.repository;
  return { owner, subject: "size:all", by: "guests", repository: null, onlyIf: (db) => hasGuestBytes(db, id) };
}

/** Returns the growth that an event causes; null for none. */
function growthOf(event: Event): Growth | null {
  switch (event.kind) {
    case "refs.moved": {
      const { repository, refs } = event;
      if (event.packBytes === 0) {
        return null;
      }
      // As linkPacks counts them.
      return refs.every(({ name }) => name.startsWith("refs/pull/"))
        ? { owner: repository.owner, subject: "size:git:all", by: "guests", repository }
        : { owner: repository.owner, subject: subjectOf(repository), repository };
    }
    case "wiki.refs-moved": {
      const { repository, byGuest } = event;
      const store = wikiStoreOf(repository.id);
      const by = byGuest ? "guests" : "owner";
      return event.packBytes === 0 ? null : { owner: repository.owner, subject: "size:wiki", by, repository, store };
    }
    case "lfs-object.stored":
      return {
        owner: event.repository.owner,
        subject: "size:git:lfs",
        by: event.byGuest ? "guests" : "owner",
        repository: event.repository,
        store: event.store,
      };
    case "attachment.added":
      return event.attachment.bytes === 0
        ? null
        : { owner: event.repository.owner, subject: "size:assets:attachments:releases", repository: null };
    case "loose-attachment.added":
    case "issue-attachment.added": {
      const { bytes, byGuest } = event.attachment;
      const by = byGuest ? "guests" : "owner";
      const subject = "size:assets:attachments:issues";
      return bytes === 0 ? null : { owner: event.repository.owner, subject, by, repository: null };
    }
    case "artifact.uploaded": {
      const { owner } = event.repository;
      return event.artifact.bytes === 0 ? null : { owner, subject: "size:assets:artifacts", repository: null };
    }
    case "package-file.added":
      return { owner: event.owner, subject: "size:assets:packages:all", repository: null };
    case "avatar.changed":
      return growthOfPicture(event.owner, { kind: "avatar", id: event.owner.id });
    case "repository.edited": {
      const { id, owner } = event.repository;
      return event.changed.includes("avatarSha256") ? growthOfPicture(owner, { kind: "repository-avatar", id }) : null;
    }
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

/** Without a picture afterwards it was deleted. */
function growthOfPicture(owner: NamedOwner, of: Parameters<typeof hasPicture>[1]): Growth {
  const onlyIf = (db: Reader) => hasPicture(db, of);
  return { owner, subject: "size:assets:all", parts: new Set(["pictures"]), repository: null, onlyIf };
}

/** Returns the subject that the packs of a repository count for. */
function subjectOf({ private: isPrivate }: { private: boolean }): QuotaSubject {
  return isPrivate ? "size:repos:private" : "size:repos:public";
}

/** Returns the subject that new packs of a repository, or of a wiki in its shape, count for. */
function subjectOfPacks(repository: RepositoryRow, by: Bringer): QuotaSubject {
  return isWikiStore(repository.id) ? "size:wiki" : by === "guests" ? "size:git:all" : subjectOf(repository);
}

/** How many bytes a repository may have of the owner's, or of guests'. */
function limitOf({ quota }: Config, by: Bringer): number {
  const limit = quota.repository_limit_bytes;
  return by === "owner" ? limit : Math.floor((limit / 100) * quota.guest_percent);
}

/**
 * Refuses what lets an owner use more than they may, or guests bring more than their share, whatever way it came in. It hears of it in the transaction that has
 * added the bytes: whoever adds bytes of the same owner waits for its end, so that two cannot pass a limit together. What takes
 * nothing more is never refused. Throws QuotaExceeded.
 */
export async function holdQuota(work: Work, event: Event): Promise<void> {
  for (const growth of [growthOf(event), guestGrowthOf(event)]) {
    if (growth !== null && (growth.onlyIf === undefined || (await growth.onlyIf(work.tx)))) {
      await hold(work, event, growth);
    }
  }
}

async function hold(work: Work, event: Event, growth: Growth): Promise<void> {
  const { by = "owner" } = growth;
  const { quota } = work.config;
  if (growth.repository !== null && quota.repository_limit_bytes > 0) {
    const { [by]: bytes } = await findRepositoryBytes(work.tx, growth.store ?? growth.repository.id);
    const limit = limitOf(work.config, by);
    if (bytes > limit) {
      throw repositoryTooLarge(growth.repository, by, bytes, limit);
    }
  }
  if (!quota.enforced) {
    return;
  }
  const { used, room } = await findRoom(work.tx, work.config, growth);
  if (room < 0) {
    throw QuotaExceeded.ofOwner(growth.owner.name, by, growth.subject, used, -room);
  }
  if (quota.warning_percent > 0 && by === "owner") {
    const isScarce = room * 100 < (used + room) * (100 - quota.warning_percent);
    if (isScarce) {
      warnCaller(`"${growth.owner.name}" may use ${room} bytes more of ${growth.subject}, and uses ${used}`);
    }
    await noteWarning(work, growth, isScarce, growth.repository ?? ("repository" in event ? event.repository : null));
  }
}

/**
 * Refuses a text of an issue or a comment, which is written in this transaction, where an owner uses more than they may, or guests bring more
 * than their share. Throws QuotaExceeded.
 */
export async function holdTexts(work: Work, owner: NamedOwner, by: Bringer): Promise<void> {
  if (!work.config.quota.enforced) {
    return;
  }
  const parts = new Set<UsagePart>(["texts", "guestsTexts"]);
  const { used, room } = await findRoom(work.tx, work.config, { owner, subject: "size:all", by, parts });
  if (room < 0) {
    throw QuotaExceeded.ofOwner(owner.name, by, "size:all", used, -room);
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

function repositoryTooLarge(
  { owner, name }: NamedRepository,
  by: Bringer,
  bytes: number,
  limit: number,
): QuotaExceeded {
  const what =
    by === "owner" ? `The repository "${owner.name}/${name}"` : `What others bring to "${owner.name}/${name}"`;
  return new QuotaExceeded(`${what} would be ${bytes} bytes; ${limit} are the most that may be`, {
    repository: `${owner.name}/${name}`,
    used: bytes,
    limit,
  });
}

/** How many bytes are used, and how many more may be. */
async function findRoom(
  db: Reader,
  config: Config,
  { owner, subject, by = "owner", parts = partsOf([subject]) }: Pick<Growth, "owner" | "subject" | "by" | "parts">,
): Promise<{ used: number; room: number }> {
  const [usage, groups] = await Promise.all([
    findUsage(db, owner.id),
    findGroupsOf(db, owner.id, config.quota.default_groups),
  ]);
  const theirs = partsBy(by, parts);
  const room = roomForParts(groups, usage, theirs, { by, guestPercent: config.quota.guest_percent });
  return { used: sizeOf(usage, theirs), room };
}

/** Whether a repository and its owner may have so many bytes more in git and LFS. */
export async function hasRoomOfOwner(
  db: Reader,
  config: Config,
  { id, owner }: NamedRepository,
  bytes: number,
): Promise<boolean> {
  const limit = limitOf(config, "owner");
  if (limit > 0 && (await findRepositoryBytes(db, id)).owner + bytes > limit) {
    return false;
  }
  return !config.quota.enforced || (await findRoom(db, config, { owner, subject: "size:git:all" })).room >= bytes;
}

/** A place for bytes that are about to come. */
export interface Room {
  /** How many may come; infinite where nothing limits them. */
  readonly bytes: number;
  /** Makes the error for more bytes than allowed, given the bytes that have come. */
  refusal(received: number): QuotaExceeded;
}

/** A pack of so few bytes may bring nothing, as where a push only names what is there: it is decided about when it is there. */
const smallPack = 4096;

type Place = Pick<RepositoryAccess, "repository" | "owner" | "units">;

/**
 * How many bytes more may come into a repository: `packs` or `lfs`. It is looked up before they come, so that they are refused while they
 * do; `holdQuota` decides when they are there. Packs of code may be for a pull request, so the larger of both shares counts.
 */
export async function findRoomFor(db: Reader, config: Config, place: Place, what: "packs" | "lfs"): Promise<Room> {
  const isCode = what === "packs" && !isWikiStore(place.repository.id);
  const bringers: Bringer[] = isCode ? ["owner", "guests"] : [isGuestOfWiki(place) ? "guests" : "owner"];
  const rooms = await Promise.all(bringers.map((by) => findRoomBy(db, config, place, what, by)));
  return rooms.reduce((largest, room) => (room.bytes > largest.bytes ? room : largest));
}

/** How many bytes more those who may write can commit to a repository; infinite where nothing limits them. `holdQuota` decides. */
export async function findRoomToCommit(db: Reader, config: Config, place: Place): Promise<number> {
  const { bytes } = await findRoomBy(db, config, place, "packs", "owner");
  return bytes <= smallPack ? 0 : bytes;
}

async function findRoomBy(
  db: Reader,
  config: Config,
  { repository, owner }: Place,
  what: "packs" | "lfs",
  by: Bringer,
): Promise<Room> {
  const limit = limitOf(config, by);
  const isLimited = config.quota.repository_limit_bytes > 0;
  const subject = what === "lfs" ? "size:git:lfs" : subjectOfPacks(repository, by);
  const [ofRepository, ofOwner] = await Promise.all([
    isLimited ? findRepositoryBytes(db, repository.id) : null,
    config.quota.enforced ? findRoom(db, config, { owner, subject, by }) : null,
  ]);
  const inRepository = ofRepository === null ? Number.POSITIVE_INFINITY : limit - ofRepository[by];
  const ownerRoom = ofOwner?.room ?? Number.POSITIVE_INFINITY;
  return {
    bytes: Math.max(what === "packs" ? smallPack : 0, Math.min(inRepository, ownerRoom)),
    refusal(received) {
      if (ofOwner !== null && ownerRoom <= inRepository) {
        const { used } = ofOwner;
        return new QuotaExceeded(
          `The quota of "${owner.name}" is exceeded: ${used} bytes of ${subject} are used, ${Math.max(0, ownerRoom)} more are allowed, and at least ${received} are sent`,
          { owner: owner.name, subject, used, received },
        );
      }
      const used = ofRepository?.[by] ?? 0;
      return new QuotaExceeded(
        `The repository "${owner.name}/${repository.name}" has ${used} bytes of at most ${limit}, and at least ${received} more are sent`,
        { repository: `${owner.name}/${repository.name}`, used, limit, received },
      );
    },
  };
}
