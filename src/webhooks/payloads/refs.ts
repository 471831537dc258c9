import { prepareFindPeople } from "../../api/commits/people.ts";
import { placeOf, presentPayloadCommit } from "../../api/commits/present.ts";
import { seesEverybody } from "../../auth/viewer-of.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Event, EventOf } from "../../domain/spine/events.ts";
import type { MovedRef } from "../../domain/spine/events/names.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { LogCommit } from "../../git/operations/log.ts";
import { MissingObject } from "../../git/odb/object-database.ts";
import { StithyError, type ErrorKind } from "../../lib/errors.ts";
import type { About } from "./sources.ts";

/** Commits that are listed; the total counts all. */
const maxCommits = 30;
const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

type Files = Record<"added" | "removed" | "modified", readonly string[]>;
type PayloadCommit = Omit<ReturnType<typeof presentPayloadCommit>, keyof Files> & Files;

/** Presents one commit; null when it is gone. */
export type ReadCommit = (access: RepositoryAccess, oid: string) => Promise<PayloadCommit | null>;

function filesOf({ files }: LogCommit, status: keyof Files): string[] {
  return (files ?? []).filter((file) => file.status === status).map(({ filename }) => filename);
}

/** The ref as payloads of branches and tags that come and go have it: without what stands before its name. */
function shortRef(name: string) {
  return name.startsWith(tagPrefix)
    ? { ref: name.slice(tagPrefix.length), ref_type: "tag" }
    : { ref: name.slice(branchPrefix.length), ref_type: "branch" };
}

/** Whether commits cannot be listed however often it is tried: they are gone, or too much. */
function isLasting(error: unknown): boolean {
  return error instanceof StithyError && (error instanceof MissingObject || !passing.has(error.kind));
}

const passing: ReadonlySet<ErrorKind> = new Set(["busy", "cancelled", "fault", "full", "too-many", "too-slow"]);

/** Prepares the payloads of refs that moved. */
export function prepareRefPayloads(forge: Forge) {
  const people = prepareFindPeople(forge);

  async function present(access: RepositoryAccess, commits: readonly LogCommit[]): Promise<PayloadCommit[]> {
    const found = await people.ofCommits(commits, seesEverybody);
    const place = placeOf(forge.addresses, access);
    return commits.map((commit) => ({
      ...presentPayloadCommit(place, commit, found),
      added: filesOf(commit, "added"),
      removed: filesOf(commit, "removed"),
      modified: filesOf(commit, "modified"),
    }));
  }

  /** Commits that `tip` reaches and none of `not`, newest first; none of those that went meanwhile. */
  async function log({ repository }: RepositoryAccess, tip: string, not: readonly string[], limit: number) {
    try {
      const view = await forge.git.views.current(repository);
      const args = {
        tips: [tip],
        not: [...not],
        paths: [],
        skip: 0,
        limit,
        count: limit > 1,
        files: true,
        stats: false,
      };
      return await forge.git.commits.log(view, args);
    } catch (error) {
      if (isLasting(error)) {
        return { commits: [], total: 0 };
      }
      throw error;
    }
  }

  async function commit(access: RepositoryAccess, oid: string): Promise<PayloadCommit | null> {
    const { commits } = await log(access, oid, [], 1);
    return (await present(access, commits))[0] ?? null;
  }

  /** A new branch brings the commits that the default branch does not have. */
  async function before({ repository }: RepositoryAccess, { name, oldOid }: MovedRef): Promise<string[]> {
    if (oldOid !== null) {
      return [oldOid];
    }
    const main = `${branchPrefix}${repository.defaultBranch}`;
    const tip = name === main ? null : await forge.git.refs.findRef(repository.id, main);
    return tip === null ? [] : [tip.oid];
  }

  async function push({ access, repository, sender }: About<Event>, moved: MovedRef) {
    const { name, oldOid, newOid } = moved;
    const none = "0".repeat((newOid ?? oldOid ?? "").length);
    const isTag = name.startsWith(tagPrefix);
    const found =
      newOid === null || isTag
        ? { commits: [], total: 0 }
        : await log(access, newOid, await before(access, moved), maxCommits);
    const commits = await present(access, found.commits);
    const head = newOid === null ? null : (commits[0] ?? (await commit(access, newOid)));
    return {
      ref: name,
      before: oldOid ?? none,
      after: newOid ?? none,
      compare_url: oldOid === null || newOid === null ? "" : `${repository.html_url}/compare/${oldOid}...${newOid}`,
      commits,
      total_commits: found.total ?? commits.length,
      head_commit: head,
      repository,
      pusher: sender,
      sender,
    };
  }

  return {
    commit,
    /** The event is stored with the one ref that it is about. */
    moved(about: About<EventOf<"refs.moved">>) {
      const { event, type, repository, sender } = about;
      const [moved] = event.refs;
      if (moved === undefined) {
        return null;
      }
      switch (type) {
        case "create":
          return { sha: moved.newOid ?? "", ...shortRef(moved.name), repository, sender };
        case "delete":
          return { ...shortRef(moved.name), pusher_type: "user", repository, sender };
        default:
          return push(about, moved);
      }
    },
    /** The newest commit of a ref, as if it alone had been pushed. */
    async tested(about: About<EventOf<"hook.tested">>) {
      const { ref: name, oid } = about.event;
      const head = await commit(about.access, oid);
      const pushed = await push(about, { name, oldOid: oid, newOid: oid });
      return {
        ...pushed,
        compare_url: head === null ? "" : `${about.repository.html_url}/commit/${oid}`,
        commits: head === null ? [] : [head],
        total_commits: head === null ? 0 : 1,
      };
    },
  };
}
