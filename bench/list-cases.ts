import type postgres from "postgres";
import type { MeasuredList } from "./support/list-bench.ts";

/** Repositories of each user that has any. */
const perOwner = 40;

/**
 * Fills a database, which has the users alice and nobody, with as many repositories and half as many users: forty
 * repositories for each of the first users, alice the first of them. Every tenth is private, every fiftieth archived,
 * every hundredth a template; one owner in fifty is limited, one private. "needle" is in one name of two hundred, and
 * "repository" in all others. One in three has the topic "common" and one of as many topics as there are hundreds.
 * Whoever is not nobody collaborates on ten of others. By SQL, since a repository without a push is rows and nothing else.
 */
export async function fillForLists(sql: postgres.Sql, repositories: number): Promise<void> {
  const users = Math.ceil(repositories / 2);
  const owners = Math.ceil(repositories / perOwner);
  await sql`
    with made as (
      insert into owner (kind, name, lower_name, full_name, visibility)
      select 'user', 'User-' || n, 'user-' || n, 'Person ' || n, case n % 50 when 1 then 'limited' when 2 then 'private' else 'public' end
      from generate_series(1, ${users}::int) n returning id)
    insert into account (owner_id) select id from made`;
  await sql`
    insert into owner (kind, name, lower_name) select 'organization', 'Org-' || n, 'org-' || n from generate_series(1, ${owners}::int) n`;
  await sql`
    with owners as (
      select id, row_number() over (order by (lower_name = 'alice') desc, id) - 1 as place from owner
      where kind = 'user' and lower_name not in ('root', 'nobody') order by 2 limit ${owners})
    insert into repository (owner_id, name, lower_name, topics, description, private, template, archived_at, default_branch, created_at, updated_at)
    select owners.id, name, lower(name), case when n % 3 = 0 then array['common', 'topic-' || n % ${Math.ceil(repositories / 100)}::int] else '{}' end, 'The description of number ' || n, n % 10 = 7, n % 100 = 5,
      case when n % 50 = 9 then now() end, 'main', now() - n * interval '1 minute', now() - (n * 7919 % ${repositories}) * interval '1 second'
    from generate_series(0, ${repositories - 1}::int) n
      join owners on owners.place = n / ${perOwner},
      lateral (select case when n % 200 = 11 then 'Needle-' else 'Repository-' end || md5(n::text) || '-' || n as name) named`;
  await sql`
    insert into collaborator (repository_id, user_id, mode)
    select repository.id, owner.id, 1 from owner, lateral (
      select id from repository where repository.owner_id <> owner.id and repository.id > owner.id order by id limit 10) repository
    where lower_name = 'alice' or lower_name ~ '^user-[0-9]*7$' on conflict do nothing`;
  for (const table of ["owner", "account", "repository", "collaborator"]) await sql.unsafe(`vacuum analyze ${table}`);
  for (const table of ["repository_listing", "repository_size", "repository_count", "list_total", "topic"]) {
    const [known] = await sql`select to_regclass(${table}) is not null as there`;
    if (known?.["there"] === true) await sql.unsafe(`vacuum analyze ${table}`);
  }
}

/** The lists that are measured. */
export function listCases(repositories: number): MeasuredList[] {
  const api = "/api/v1";
  const deep = Math.min(200, Math.floor(repositories / 60));
  const searches: [string, string][] = [
    ["search", ""],
    ["search, page 200", `&page=${deep}&limit=50`],
    ["search, last updated", "&sort=updated&order=desc"],
    ["search, page 200, last updated", `&sort=updated&order=desc&page=${deep}&limit=50`],
    ["search, created", "&sort=created"],
    ["search, size", "&sort=size&order=desc"],
    ["search, most stars", "&sort=stars&order=desc"],
    ["search, id", "&sort=id"],
    ["search, private", "&is_private=true"],
    ["search, archived", "&archived=true"],
    ["search, no template", "&template=false"],
    ["search, first of an owner", "&priority_owner_id=7"],
    ["search for a word", "&q=needle"],
    ["search for a word in descriptions", "&q=needle&includeDesc=true"],
    ["search for a word, by name", "&q=needle&sort=alpha"],
    ["search for two words", "&q=needle,absent-word"],
    ["search for a word that most have", "&q=repository"],
    ["search for a word that most have, last updated", "&q=repository&sort=updated&order=desc"],
    ["search for a letter", "&q=e"],
    ["search for a topic, a word of one in 150", "&q=topic-7&topic=true"],
    ["search for a topic, a word of one in three", "&q=common&topic=true"],
    ["search for what is nowhere", "&q=absent-word&includeDesc=true"],
  ];
  return [
    { label: "own, of somebody who has none", path: `${api}/user/repos`, user: "nobody" },
    { label: "own, of somebody with 40", path: `${api}/user/repos`, user: "alice" },
    { label: "a user's 40", path: `${api}/users/alice/repos`, user: "nobody" },
    { label: "a user's 40, without a credential", path: `${api}/users/alice/repos`, user: null },
    ...searches.map(([label, query]) => ({ label, path: `${api}/repos/search?limit=30${query}`, user: "alice" })),
    { label: "search, without a credential", path: `${api}/repos/search`, user: null },
    { label: "topics", path: `${api}/topics/search`, user: "alice" },
    { label: "topics, page 10", path: `${api}/topics/search?limit=2&page=10`, user: "alice" },
    { label: "topics by a word", path: `${api}/topics/search?q=pic-1`, user: "alice" },
    { label: "topics, without a credential", path: `${api}/topics/search?q=common`, user: null },
    { label: "topics, of an administrator", path: `${api}/topics/search`, user: "root" },
    { label: "search, of an administrator", path: `${api}/repos/search`, user: "root" },
    { label: "front page", path: "/", user: null },
    { label: "users", path: `${api}/users/search`, user: "alice" },
    { label: "users by a word", path: `${api}/users/search?q=er-12`, user: "alice" },
    { label: "users, of an administrator", path: `${api}/admin/users?sort=newest`, user: "root" },
    { label: "organizations", path: `${api}/orgs`, user: "alice" },
    { label: "organizations of a user", path: `${api}/user/orgs`, user: "alice" },
    { label: "teams of a user", path: `${api}/user/teams`, user: "alice" },
  ];
}
