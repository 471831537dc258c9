import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import {
  discussionVisibleSql,
  repositoryVisibleSql,
  subjectVisibleSql,
  unitVisibleSql,
} from "../../src/auth/access-sql.ts";
import { viewerOf } from "../../src/auth/viewer-of.ts";
import { owner } from "../../src/db/schema/owners.ts";
import { repository } from "../../src/db/schema/repositories.ts";
import { makeTeam } from "../support/team.ts";
import { useTestApp } from "../support/test-app.ts";

/** The rules of what may be seen that are written once for issues and pull requests say what the rule of one unit says. */

const app = await useTestApp();
const { db } = app.forge.database;
const boss = await app.user("boss");
const users = [boss];
await boss.api.post("/orgs", { username: "firm" });
for (const [name, units_map] of Object.entries({
  "of-issues": { "repo.issues": "read" },
  "of-pulls": { "repo.pulls": "write" },
  "of-code": { "repo.code": "read" },
})) {
  const user = await app.user(name);
  users.push(user);
  await makeTeam(boss, "firm", { name, permission: "read", units_map, includes_all_repositories: true }, [user]);
}
const admin = await app.user("admin-of-all");
users.push(admin, await app.user("collaborator"), await app.user("stranger"));
await makeTeam(boss, "firm", { name: "admins", permission: "admin", includes_all_repositories: true }, [admin]);
for (const [name, fields] of Object.entries({
  whole: {},
  "no-issues": { has_issues: false },
  "no-pulls": { has_pull_requests: false },
})) {
  await boss.api.post("/orgs/firm/repos", { name, private: true });
  await boss.api.patch(`/repos/firm/${name}`, fields);
  await boss.api.put(`/repos/firm/${name}/collaborators/collaborator`, { permission: "read" });
}
await boss.api.post("/orgs/firm/repos", { name: "public" });

test("issues, pull requests and repositories are seen by the rule of their unit", async () => {
  const seen: string[] = [];
  for (const user of users) {
    const { actor } = await app.forge.identity.findSubject({ userId: user.id }, {});
    const viewer = viewerOf({ actor, credential: { kind: "none" } });
    const rows = await db
      .select({
        name: repository.name,
        issues: unitVisibleSql(viewer, "issues"),
        pulls: unitVisibleSql(viewer, "pulls"),
        any: repositoryVisibleSql(viewer),
        issue: discussionVisibleSql(viewer, sql`false`),
        pull: discussionVisibleSql(viewer, sql`true`),
        issueSubject: subjectVisibleSql(viewer, sql`'issue'::text`),
        pullSubject: subjectVisibleSql(viewer, sql`'pull'::text`),
        repositorySubject: subjectVisibleSql(viewer, sql`'repository'::text`),
      })
      .from(repository)
      .innerJoin(owner, eq(owner.id, repository.ownerId));
    for (const { name, issues, pulls, any, ...shared } of rows) {
      expect({ user: user.name, name, ...shared }).toEqual({
        user: user.name,
        name,
        issue: issues,
        pull: pulls,
        issueSubject: issues,
        pullSubject: pulls,
        repositorySubject: any,
      });
      seen.push([user.name, name, issues, pulls, any].join(" "));
    }
  }
  expect(seen).toContain("of-issues whole true false true");
  expect(seen).toContain("of-pulls whole false true true");
  expect(seen).toContain("of-code whole false false true");
  expect(seen).toContain("collaborator no-issues false true true");
  expect(seen).toContain("admin-of-all no-pulls true false true");
  expect(seen).toContain("stranger whole false false false");
  expect(seen).toContain("stranger public true true true");
});
