-- Counts repository_count.releases, without drafts; once a statement, because a repository may have many. Called by release.
create or replace function count_releases() returns trigger language plpgsql as $$
begin
  update repository_count set releases = releases + case tg_op when 'INSERT' then counted.count else -counted.count end
    from (select repository_id, count(*) as count from changed where not draft group by repository_id) as counted
    where repository_count.repository_id = counted.repository_id;
  return null;
end $$;

create or replace trigger releases_added after insert on release referencing new table as changed
  for each statement execute function count_releases();

create or replace trigger releases_removed after delete on release referencing old table as changed
  for each statement execute function count_releases();

-- Counts as count_releases does, for releases that become drafts or are published. Called by release.
create or replace function recount_releases() returns trigger language plpgsql as $$
begin
  update repository_count set releases = releases + counted.change from (
    select repository_id, sum(change) as change from (
      select repository_id, -1 as change from before where not draft
      union all select repository_id, 1 from after where not draft
    ) as each group by repository_id having sum(change) <> 0
  ) as counted where repository_count.repository_id = counted.repository_id;
  return null;
end $$;

create or replace trigger releases_changed after update on release referencing old table as before new table as after
  for each statement execute function recount_releases();
