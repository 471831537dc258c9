import { createOrganization } from "../../src/domain/identity/orgs/create-organization.ts";
import type { TestApp, TestUser } from "../support/test-app.ts";
import type { ApiClient } from "../support/client.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";

export const visibilities = ["public", "limited", "private"] as const;
export type Visibility = (typeof visibilities)[number];

/** Somebody as they stand to a repository, an organization or a user. */
export const roles = [
  "nobody",
  "stranger",
  "kept-small",
  "blocked",
  "reader",
  "writer",
  "administrator",
  "issue-reader",
  "owner",
  "site-administrator",
] as const;
export type Role = (typeof roles)[number];

/** A repository of one of the three organizations, which are named by their visibility. */
export interface RepositoryTarget {
  organization: Visibility;
  name: "open" | "secret";
  id: number;
}

/**
 * Three organizations, each with a public and a private repository, three users of each visibility, and somebody in every
 * role. "kept-small" is a restricted account, which sees only what it was given; "issue-reader" is in a team that may read
 * issues and nothing else.
 */
export interface Scene {
  app: TestApp;
  users: Record<Exclude<Role, "nobody">, TestUser>;
  /** Users by visibility: `user-public` and so on. */
  selves: Record<Visibility, TestUser>;
  repositories: RepositoryTarget[];
  /** Of each organization, the id of the team of the issue-reader. */
  teams: Record<Visibility, number>;
  client(role: Role): ApiClient;
}

export async function makeScene(app: TestApp): Promise<Scene> {
  const { sql } = app.forge.database;
  // Ids that stand for nothing else in an answer.
  await sql`alter sequence team_id_seq restart with 700001`;
  await sql`alter sequence repository_id_seq restart with 600001`;
  const users = {} as Scene["users"];
  for (const role of roles) {
    if (role !== "nobody") {
      users[role] = await app.user(role, { isAdmin: role === "site-administrator" });
    }
  }
  await sql`update account set restricted = true where owner_id = ${users["kept-small"].id}`;
  const selves = {} as Scene["selves"];
  const teams = {} as Scene["teams"];
  const repositories: RepositoryTarget[] = [];
  for (const visibility of visibilities) {
    selves[visibility] = await app.user(`user-${visibility}`);
    await sql`update owner set visibility = ${visibility} where id = ${selves[visibility].id}`;
    const organization = `org-${visibility}`;
    const organizationId = await app.forge.change(serverDoer("test"), (work) =>
      createOrganization(work, { name: organization, ownerId: users.owner.id, visibility }),
    );
    await sql`insert into block (blocker_id, blocked_id) values (${organizationId}, ${users.blocked.id})`;
    for (const name of ["open", "secret"] as const) {
      const { id } = await app.repository(
        users.owner,
        name,
        { private: name === "secret", auto_init: true },
        organization,
      );
      repositories.push({ organization: visibility, name, id });
      for (const [role, mode] of [
        ["reader", 1],
        ["writer", 2],
        ["administrator", 3],
      ] as const) {
        await sql`insert into collaborator (repository_id, user_id, mode) values (${id}, ${users[role].id}, ${mode})`;
      }
    }
    const [team] =
      await sql`insert into team (organization_id, name, lower_name, mode, includes_all_repositories) values (${organizationId}, 'issues', 'issues', 1, true) returning id`;
    teams[visibility] = Number(team?.["id"]);
    await sql`insert into team_unit (team_id, unit, mode) values (${teams[visibility]}, 'issues', 1), (${teams[visibility]}, 'code', 0)`;
    await sql`insert into team_member (team_id, user_id) values (${teams[visibility]}, ${users["issue-reader"].id})`;
  }
  return {
    app,
    users,
    selves,
    repositories,
    teams,
    client: (role) => (role === "nobody" ? app.anonymous : users[role].api),
  };
}
