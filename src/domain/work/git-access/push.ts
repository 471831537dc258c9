import type { RepositoryAccess } from "../../../auth/subject.ts";
import { isPublicOnly } from "../../../auth/authorize.ts";
import { describeError, findOutage } from "../../../db/pg-errors.ts";
import type { QuietHistory } from "../../../git/index-pack/quiet-commits.ts";
import { isHiddenRef } from "../../../git/refs/hidden-refs.ts";
import { isRefName } from "../../../git/refs/ref-name.ts";
import type { PushReport } from "../../../git/transport/push-report.ts";
import type { PushCommand } from "../../../git/transport/push-request.ts";
import type { ReceivedPush, TellPusher } from "../../../git/transport/push-target.ts";
import { StithyError, type ErrorKind } from "../../../lib/errors.ts";
import { takeWarning } from "../../../lib/request-context.ts";
import { actorOf, type Doer } from "../../spine/doer.ts";
import type { GitForge } from "../../spine/forge.ts";
import type { DecidedChange } from "../../git/refs/decide-changes.ts";
import { RefsRefused, type MaintainerPush } from "../../git/refs/move-refs.ts";
import { findDamage } from "../../git/packs/find-damage.ts";
import { commitPush } from "./commit-push.ts";
import { readPushOptions } from "./push-options.ts";
import type { RefChange } from "../../git/refs/queries.ts";
import { needsForcedFlag } from "../../git/refs/ref-policy.ts";

/** A push that came in, with who pushes to what. */
export interface Push extends ReceivedPush {
  repository: RepositoryAccess;
  doer: Doer;
  /** Where the doer may push to these branches alone. */
  asMaintainer?: MaintainerPush;
  /** For the reflog; "push" by default. */
  reason?: string;
  /** Whether refs may move that only the server moves, such as the heads of pull requests. */
  ownRefs?: boolean;
}

/** Real histories inflate 10 to 60 times; a thousand times is a bomb. */
const inflationRatio = 1000;
/** The longest delta chain that git itself makes. */
const deltaDepth = 4095;

/** Refs that the server makes itself. */
const ownRefs = /^refs\/(pull|for)\//;
const branchPrefix = "refs/heads/";
/** Pushes to these refs are offered as pull requests (`propose-push.ts`). */
export const proposalPrefix = "refs/for/";

/** Checks the form of a command. Returns why it is refused, or null. */
function refuse(command: PushCommand, hidden: readonly string[], own: boolean): string | null {
  if (!isRefName(command.name) || !command.name.startsWith("refs/")) {
    return "funny refname";
  }
  const isOwn = ownRefs.test(command.name);
  if ((isOwn && !own) || (!isOwn && isHiddenRef(command.name, hidden))) {
    return "deny updating a hidden ref";
  }
  return null;
}

/**
 * Codes of errors for which the engine rejects a pack. The pusher is told about these; all others are faults of the
 * server.
 */
const packFaults = new Set([
  "pack-rejected",
  "quota-exceeded",
  "missing-object",
  "corrupt-object",
  "engine-timeout",
  "engine-busy",
  "too-costly",
  "share-full",
  "server-busy",
  "storage-full",
  "packs-replaced",
  "facts-needed",
]);

/**
 * Takes a push: the pack is indexed and checked, then the refs move, in one transaction with the pack's publication.
 * Nothing of a refused push becomes visible or stays. Failures that the client caused are in the outcome and are not
 * thrown. `tell` hears how far the indexing of a large pack is and what protections refuse, as text for the pusher.
 */
export async function push(forge: GitForge, request: Push, tell: TellPusher = () => {}): Promise<PushReport> {
  const { repository } = request.repository;
  const { hidden_refs: hidden } = forge.config.git;
  const refusals = new Map(
    request.commands.map((command) => [command, refuse(command, hidden, request.ownRefs === true)]),
  );
  const refused = [...refusals.values()].some((reason) => reason !== null);
  const wanted = request.commands.filter((command) => refusals.get(command) === null);
  const report = (unpackError: string | null, errorOf: (command: PushCommand) => string | null): PushReport => ({
    unpackError,
    refs: request.commands.map((command) => ({ name: command.name, error: refusals.get(command) ?? errorOf(command) })),
  });
  try {
    if (wanted.length === 0 || (request.atomic && refused)) {
      return report(null, () => "atomic push failed");
    }
    const { doer } = request;
    const settings = readPushOptions(
      request.pushOptions,
      request.repository,
      doer.kind === "user" && isPublicOnly(doer.credential),
    );
    const { view, changes, packs, badTips, quiet } = await takePack(forge, request, wanted, tell);
    for (const [command, reason] of badTips) {
      refusals.set(command, reason);
    }
    if (request.atomic && badTips.size > 0) {
      return report(null, () => "atomic push failed");
    }
    const { atomic } = request;
    const all = await commitPush(forge, doer, request.repository, view, {
      changes,
      packs,
      atomic,
      settings,
      asMaintainer: request.asMaintainer ?? null,
      reason: request.reason ?? "push",
      namesNothing: quiet !== null && changes.every((change) => isQuiet(change, quiet)),
    });
    const decided = new Map(all.map((one) => [one.change.name, one.refusal]));
    tellProtections(all, tell);
    for (const { name } of changes.filter(
      (change) => change.oldOid === null && change.newOid === null && decided.get(change.name) === null,
    )) {
      tell(`warning: deleting a non-existent ref: ${name}\n`);
    }
    const warning = takeWarning();
    if (warning !== null) {
      tell(`warning: ${warning}\n`, "reason");
    }
    forge.log.info(
      { repository: repository.id, ...described(doer), refs: changes.length, bytes: packs[0]?.bytes ?? 0 },
      "Push",
    );
    return report(null, (command) => decided.get(command.name) ?? null);
  } catch (error) {
    if (error instanceof RefsRefused) {
      tellProtections(error.decided, tell);
      const reasons = new Map(error.decided.map((one) => [one.change.name, one.refusal]));
      return report(null, (command) => reasons.get(command.name) ?? "atomic push failed");
    }
    if (error instanceof StithyError && (overtaken.has(error.kind) || overtakenCodes.has(error.code))) {
      return report(null, () => error.message);
    }
    return report(explainFailure(forge, repository.id, error), () => "unpacker error");
  }
}

/** Explains to the pusher a failure that they did not cause. Faults of the server are logged. */
export function explainFailure(forge: GitForge, repositoryId: number, error: unknown): string {
  const damage = findDamage(error);
  const known =
    damage ?? (error instanceof StithyError && packFaults.has(error.code) ? error.message : findOutage(error));
  if (known === null || damage !== null) {
    forge.log.error({ repository: repositoryId, ...describeError(error) }, "A push failed");
  }
  return known ?? "something went wrong on the server";
}

/** Git cuts what a report says of a ref short where the terminal ends, and some clients show none of it. */
function tellProtections(decided: readonly DecidedChange[], tell: TellPusher): void {
  for (const { refusal } of decided.filter(({ protection }) => protection !== null)) {
    tell(`${refusal}\n`, "reason");
  }
}

/** For the log. */
function described(doer: Doer): object {
  switch (doer.kind) {
    case "deploy-key":
      return { deployKey: doer.credential.deployKeyId };
    case "server":
      return { reason: doer.reason };
    default:
      return { actor: actorOf(doer).name };
  }
}

/** Has the pack indexed and checked, and says what the refs will point at. */
export async function takePack(forge: GitForge, request: Push, commands: readonly PushCommand[], tell: TellPusher) {
  const { repository } = request.repository;
  const { git } = forge.config;
  const { view, tips: oldTips } = await forge.git.views.currentWithTips(repository);
  // The default branch first: the engine remembers what the first tip reaches, and clones of one branch are of that.
  const main = branchPrefix + repository.defaultBranch;
  const ordered = commands.toSorted((left, right) => Number(right.name === main) - Number(left.name === main));
  const asked = commands.filter((command) => needsForcedFlag(git, command));
  const newTips = [...new Set(ordered.flatMap((command) => command.newOid ?? []))];
  const indexed = await forge.git.engine.index({
    view,
    path: request.packPath,
    directory: forge.files.packDirectory,
    newTips,
    oldTips,
    brought: 0,
    moves: asked.map(({ oldOid, newOid }) => ({ from: oldOid ?? "", to: newOid ?? "" })),
    check: "strict",
    limits: {
      objectBytes: git.object_limit_bytes,
      totalInflatedBytes: git.inflated_limit_bytes,
      objectCount: git.objects_per_push,
      inflationRatio,
      deltaDepth,
    },
    content: {
      headerBytes: git.commit_header_limit_bytes,
      messageBytes: git.message_limit_bytes,
      pathBytes: git.path_limit_bytes,
    },
    onProgress: ({ resolved, objects }) =>
      tell(`Indexing objects: ${Math.floor((100 * resolved) / objects)}% (${resolved}/${objects})\r`),
  });
  const forced = new Set(asked.filter((_, index) => indexed.fastForwards[index] === false));
  const tips = new Map(indexed.tips.map((tip) => [tip.oid, tip]));
  const badTips = new Map<PushCommand, string>();
  const changes: RefChange[] = [];
  for (const command of commands) {
    const tip = command.newOid === null ? undefined : tips.get(command.newOid);
    const isOfCommits = command.name.startsWith(branchPrefix) || command.name.startsWith(proposalPrefix);
    if (isOfCommits && tip !== undefined && tip.type !== "commit") {
      badTips.set(command, `a branch cannot point at a ${tip.type}`);
    } else {
      changes.push({
        name: command.name,
        oldOid: command.oldOid,
        newOid: command.newOid,
        peeled: tip?.peeled ?? null,
        forced: asked.includes(command) ? forced.has(command) : undefined,
      });
    }
  }
  return { view, changes, packs: indexed.pack === null ? [] : [indexed.pack], badTips, quiet: indexed.quiet };
}

/** Whether a branch gets only commits of the pack, none of which names an issue. All parents outside of the pack must be the old tip. */
function isQuiet({ name, oldOid, newOid }: RefChange, { commits, outside }: QuietHistory): boolean {
  return (
    !name.startsWith(branchPrefix) ||
    newOid === null ||
    (commits.has(newOid) && [...outside].every((oid) => oid === oldOid))
  );
}

/**
 * Kinds of errors for a repository, an access or a credential that changed while the pack came in, and for options that the
 * doer may not use.
 */
const overtaken: ReadonlySet<ErrorKind> = new Set(["absent", "unauthenticated", "forbidden"]);
const overtakenCodes = new Set(["repository-archived", "push-option-refused", "rules-too-costly"]);
