import type { Team } from "./queries.ts";

/** Returns how a team is called in an event. */
export function namedTeam({ team }: Team): { id: number; name: string } {
  return { id: team.id, name: team.name };
}
