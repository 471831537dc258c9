import type { RepositoryAccess } from "../../auth/subject.ts";
import { objectFormat } from "../../git/objects/object-format.ts";
import type { Ref } from "../../git/refs/ref.ts";
import { visibleRefs } from "../../git/refs/hidden-refs.ts";
import { defaultPushLimits } from "../../git/transport/push-request.ts";
import type { PushTarget } from "../../git/transport/push-target.ts";
import { agent } from "../../lib/version.ts";
import type { Doer } from "../doer.ts";
import type { Forge } from "../forge.ts";
import { findRoomFor } from "../quota/hold-quota.ts";
import { push } from "./push.ts";

/** What is advertised for a push: without the refs that only the server moves. */
export function pushableRefs(refs: readonly Ref[]): Ref[] {
  return refs.filter(({ name }) => !name.startsWith("refs/pull/"));
}

/** A repository to be pushed to by someone who may write to it. */
export function pushTarget(forge: Forge, access: RepositoryAccess, doer: Doer): PushTarget {
  const { git } = forge.config;
  const sessionId = crypto.randomUUID();
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
    take: (received, tell) => push(forge, { repository: access, doer, ...received }, tell),
  };
}
