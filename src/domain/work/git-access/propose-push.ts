import type { PushReport } from "../../../git/transport/push-report.ts";
import type { PushCommand } from "../../../git/transport/push-request.ts";
import type { TellPusher } from "../../../git/transport/push-target.ts";
import { StithyError, type ErrorKind } from "../../../lib/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { proposeChange, type ProposalOptions } from "../pulls/propose-change.ts";
import { isWikiStore } from "../../git/wiki-stores/wiki-store.ts";
import { explainFailure, proposalPrefix, takePack, type Push } from "./push.ts";

/** Whether a push offers changes. */
export function isProposal(commands: readonly PushCommand[]): boolean {
  return commands.some(({ name }) => name.startsWith(proposalPrefix));
}

const yes = new Set(["", "true", "1"]);

/** Reads `git push -o topic=… -o title=… -o description=… -o force-push`. The last of several counts; other names mean nothing here. */
function readOptions(options: readonly string[]): ProposalOptions {
  const values = new Map(
    options.map((option) => {
      const [name = "", ...rest] = option.split("=");
      return [name, rest.join("=")];
    }),
  );
  const force = values.get("force-push");
  return {
    topic: values.get("topic") || null,
    title: values.get("title") || null,
    description: values.get("description") ?? null,
    force: force !== undefined && yes.has(force.toLowerCase()),
  };
}

/** Kinds of errors that the pusher is told in the words of the error. */
const told: ReadonlySet<ErrorKind> = new Set(["absent", "unauthenticated", "forbidden", "invalid", "conflict"]);

/**
 * Takes a push to `refs/for/<branch>` or `refs/for/<branch>/<topic>` (agit): it opens a pull request, or moves the head of the one that the same
 * user has of the topic. It is pushed alone. Every failure that is the client's is in the outcome; nothing is thrown for it.
 */
export async function proposePush(forge: Forge, request: Push, tell: TellPusher = () => {}): Promise<PushReport> {
  const { repository } = request.repository;
  const { commands, doer } = request;
  const report = (error: string | null, unpackError: string | null = null): PushReport => ({
    unpackError,
    refs: commands.map(({ name }) => ({ name, error })),
  });
  const [command] = commands;
  if (command === undefined || commands.length > 1) {
    return report("push one change at a time to refs/for/, and nothing beside it");
  }
  if (isWikiStore(repository.id)) {
    return report("a wiki has no pull requests");
  }
  if (doer.kind !== "user") {
    return report("a deploy key opens no pull requests");
  }
  if (command.newOid === null) {
    return report("deletion prohibited");
  }
  try {
    const { view, packs, badTips } = await takePack(forge, request, commands, tell);
    const bad = badTips.get(command);
    if (bad !== undefined) {
      return report(bad);
    }
    const { number, isNew } = await proposeChange(forge, doer, request.repository, {
      path: command.name.slice(proposalPrefix.length),
      oid: command.newOid,
      options: readOptions(request.pushOptions),
      view,
      packs,
    });
    const { owner } = request.repository;
    const page = forge.addresses.discussion(owner.name, repository.name, { number, isPull: true });
    tell(`${isNew ? "Opened" : "Updated"} pull request #${number}: ${page}\n`, "reason");
    return report(null);
  } catch (error) {
    if (error instanceof StithyError && told.has(error.kind)) {
      return report(error.message);
    }
    return report("unpacker error", explainFailure(forge, repository.id, error));
  }
}
