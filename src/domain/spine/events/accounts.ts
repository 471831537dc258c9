import { Type } from "typebox";
import { listOf } from "../../../lib/schema.ts";
import { event } from "./define-event.ts";
import { Named, NamedOwner, NamedRepository } from "./names.ts";

const ofTeam = { owner: NamedOwner, team: Named };
/** The names of the columns. */
const changed = listOf(Type.String());

/** Events of users, organizations and teams. */
export const accountEvents = {
  "user.edited": event({ user: NamedOwner, changed }),
  "block.added": event({ owner: NamedOwner, user: NamedOwner }),
  /** The avatar of a user or an organization. */
  "avatar.changed": event({ owner: NamedOwner }),
  "organization.edited": event({ owner: NamedOwner, changed }),
  "member.removed": event({ owner: NamedOwner, user: NamedOwner }),
  "team.edited": event(ofTeam),
  "team.deleted": event(ofTeam),
  "team-member.added": event({ ...ofTeam, user: NamedOwner }),
  "team-member.removed": event({ ...ofTeam, user: NamedOwner }),
  "team-repository.removed": event({ repository: NamedRepository, team: Named }),
};
