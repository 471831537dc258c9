import type { RepositoryAccess } from "../../auth/subject.ts";
import { objectFormat } from "../../git/objects/object-format.ts";
import type { PushTarget } from "../../git/transport/push-target.ts";
import { agent } from "../../lib/version.ts";
import type { Forge } from "../forge.ts";
import { push, type Pusher } from "./push.ts";

const MiB = 1024 * 1024;

/** A repository to be pushed to by someone who may write to it. */
export function pushTarget(forge: Forge, access: RepositoryAccess, pusher: Pusher): PushTarget {
  const { git } = forge.config;
  return {
    format: objectFormat(access.repository.objectFormat),
    agent,
    limits: {
      commands: git.refs_per_push,
      commandBytes: 64 * MiB,
      pushOptions: 64,
      lineBytes: 8192,
      packBytes: git.push_limit_bytes,
      seconds: git.push_timeout_seconds,
    },
    temporaryDirectory: forge.temporaryDirectory,
    listRefs: () => forge.refs.listRefs(access.repository.id),
    take: (received) => push(forge, { repository: access, pusher, ...received }),
  };
}
