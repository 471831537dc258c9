import type { RepositoryAccess } from "../../auth/subject.ts";
import { objectFormat } from "../../git/objects/object-format.ts";
import { defaultPushLimits } from "../../git/transport/push-request.ts";
import type { PushTarget } from "../../git/transport/push-target.ts";
import { agent } from "../../lib/version.ts";
import type { Forge } from "../forge.ts";
import { push, type Pusher } from "./push.ts";

/** A repository to be pushed to by someone who may write to it. */
export function pushTarget(forge: Forge, access: RepositoryAccess, pusher: Pusher): PushTarget {
  const { git } = forge.config;
  return {
    format: objectFormat(access.repository.objectFormat),
    agent,
    limits: { ...defaultPushLimits, commands: git.refs_per_push, packBytes: git.push_limit_bytes, seconds: git.push_timeout_seconds },
    temporaryDirectory: forge.temporaryDirectory,
    listRefs: () => forge.refs.listRefs(access.repository.id),
    take: (received, tell) => push(forge, { repository: access, pusher, ...received }, tell),
  };
}
