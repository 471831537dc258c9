import type { TestUser } from "./test-app.ts";

/** The fields of a Team that tests go on with. */
export interface TeamJson {
  id: number;
  name: string;
  description: string;
  organization: { id: number; name: string; email: string } | null;
  permission: string;
  units: string[];
  units_map: Record<string, string>;
  includes_all_repositories: boolean;
  can_create_org_repo: boolean;
}

/** Makes a team by the API, with these members, and answers its JSON. */
export async function makeTeam(
  owner: TestUser,
  organization: string,
  fields: Record<string, unknown> & { name: string },
  members: readonly TestUser[] = [],
): Promise<TeamJson> {
  const { status, body } = await owner.api.post<TeamJson>(`/orgs/${organization}/teams`, fields);
  if (status !== 201) {
    throw new Error(`The team could not be made: ${JSON.stringify(body)}`);
  }
  for (const member of members) {
    await owner.api.put(`/teams/${body.id}/members/${member.name}`);
  }
  return body;
}

/** The id of an organization's owners team. */
export async function ownersTeamId(owner: TestUser, organization: string): Promise<number> {
  const { body } = await owner.api.get<TeamJson[]>(`/orgs/${organization}/teams`);
  const team = body.find(({ permission }) => permission === "owner");
  if (team === undefined) {
    throw new Error(`${organization} has no team of owners`);
  }
  return team.id;
}
