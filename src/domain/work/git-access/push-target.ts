import { objectFormat } from "../../../git/objects/object-format.ts";
import type { Ref } from "../../../git/refs/ref.ts";
import { visibleRefs } from "../../../git/refs/hidden-refs.ts";
import { defaultPushLimits } from "../../../git/transport/push-request.ts";
import type { PushReport } from "../../../git/transport/push-report.ts";
import type { PushTarget, TellPusher } from "../../../git/transport/push-target.ts";
import { agent } from "../../../lib/version.ts";
import type { Forge } from "../../spine/forge.ts";
import { findRoomFor } from "../../identity/quota/hold-quota.ts";
import type { GitAccess } from "./open-for-git.ts";
import { isProposal, proposePush } from "./propose-push.ts";
import { findMaintainerPush, onlyMovedBranches } from "../pulls/maintainer-push.ts";
import { push, type Push } from "./push.ts";
import { tellOfPulls } from "./tell-of-pulls.ts";

/** Returns the refs to advertise for a push: without those that only the server moves. */
export function pushableRefs(refs: readonly Ref[]): Ref[] {
  return refs.filter(({ name }) => !name.startsWith("refs/pull/"));
}

/** A repository to be pushed to by someone who may write to it, to some branches of it, or may only offer changes. */
export function pushTarget(
  forge: Forge,
  { access, doer, proposesOnly }: Pick<GitAccess, "access" | "doer" | "proposesOnly">,
): PushTarget {
  const { git } = forge.config;
  const sessionId = crypto.randomUUID();
  const pushAndTell = async (request: Push, tell: TellPusher): Promise<PushReport> => {
    const report = await push(forge, request, tell);
    await tellOfPulls(forge, { access, doer, commands: request.commands }, report, tell);
    return report;
  };
  return {
    format: objectFormat(access.repository.objectFormat),
    agent,
    sessionId,
    limits: {
      ...defaultPushLimits,
      commands: git.refs_per_push,
      packBytes: git.push_limit_bytes,
      seconds: git.push_timeout_seconds,
    },
    findRoom: () => findRoomFor(forge.database.db, forge.config, access, "packs"),
    temporaryDirectory: forge.files.temporaryDirectory,
    noteClient: ({ agent: clientAgent, session: clientSession }) =>
      forge.log.debug(
        { repository: access.repository.id, session: sessionId, clientAgent, clientSession },
        "A client pushes",
      ),
    listRefs: async () =>
      pushableRefs(await visibleRefs(await forge.git.refs.listRefs(access.repository.id), git.hidden_refs)),
    take: async (received, tell) => {
      const { commands } = received;
      const request = { repository: access, doer, ...received };
      if (isProposal(commands)) {
        return proposePush(forge, request, tell);
      }
      if (proposesOnly === null) {
        return pushAndTell(request, tell);
      }
      const moved = onlyMovedBranches(commands);
      const asMaintainer =
        doer.kind === "user" && moved !== null
          ? await findMaintainerPush(forge.database.db, doer, access, moved)
          : null;
      if (asMaintainer === null) {
        const error = proposesOnly.message;
        return { unpackError: null, refs: commands.map(({ name }) => ({ name, error })) };
      }
      return pushAndTell({ ...request, doer: asMaintainer.doer, asMaintainer }, tell);
    },
  };
}
