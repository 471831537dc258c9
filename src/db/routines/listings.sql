-- Returns the class of a repository: audience * 8 + fork * 4 + template * 2 + archived. The audience is 0 for everybody, 1 for
-- users, 2 for those who may see the owner, 3 for those with access to a private repository.
create or replace function repository_class(visibility text, private boolean, fork boolean, template boolean, archived boolean)
  returns smallint language sql immutable parallel safe as $$
  select (case when private then 24 when visibility = 'public' then 0 when visibility = 'limited' then 8 else 16 end
    + case when fork then 4 else 0 end + case when template then 2 else 0 end + case when archived then 1 else 0 end)::smallint
$$;

-- Adds the rows of new repositories to repository_listing, repository_size and repository_count, and counts the forks of their
-- parents. Called by repository.
create or replace function list_repositories() returns trigger language plpgsql as $$
begin
  -- A change of the owner's visibility locks the owner. So the class is from before that change, and the change sees these
  -- rows, or from after it.
  perform from owner where id in (select owner_id from added) order by id for share;
  insert into repository_listing (repository_id, owner_id, class, owner_name, name, created_at, topics, description)
    select added.id, added.owner_id,
      repository_class(owner.visibility, added.private, added.fork_of is not null, added.template, added.archived_at is not null),
      owner.lower_name, added.lower_name, added.created_at, added.topics, lower(added.description)
    from added join owner on owner.id = added.owner_id;
  insert into repository_size (repository_id, class, updated_at)
    select added.id, class, updated_at from added join repository_listing on repository_id = added.id;
  insert into repository_count (repository_id, class)
    select added.id, class from added join repository_listing on repository_id = added.id;
  if exists (select from added where fork_of is not null) then
    update repository_count set forks = forks + forked.count
      from (select fork_of, count(*) as count from added where fork_of is not null group by fork_of) as forked
      where repository_id = forked.fork_of;
  end if;
  return null;
end $$;

create or replace trigger repository_listed after insert on repository referencing new table as added
  for each statement execute function list_repositories();

-- Brings repository_listing and repository_size up to date with a repository. Called by repository.
create or replace function relist_repository() returns trigger language plpgsql as $$
begin
  if (old.owner_id, old.lower_name, old.private, old.fork_of is null, old.template, old.archived_at is null, old.topics, old.description)
    is distinct from (new.owner_id, new.lower_name, new.private, new.fork_of is null, new.template, new.archived_at is null, new.topics, new.description) then
    perform from owner where id = new.owner_id for share;
    update repository_listing set owner_id = new.owner_id,
      class = repository_class(owner.visibility, new.private, new.fork_of is not null, new.template, new.archived_at is not null),
      owner_name = owner.lower_name, name = new.lower_name, topics = new.topics, description = lower(new.description)
      from owner where owner.id = new.owner_id and repository_id = new.id;
  end if;
  update repository_size set updated_at = new.updated_at where repository_id = new.id and updated_at <> new.updated_at;
  return null;
end $$;

create or replace trigger repository_relisted after update on repository for each row when (
  (old.owner_id, old.lower_name, old.private, old.fork_of, old.template, old.archived_at, old.topics, old.description, old.updated_at)
  is distinct from (new.owner_id, new.lower_name, new.private, new.fork_of, new.template, new.archived_at, new.topics, new.description, new.updated_at)
) execute function relist_repository();

-- Brings the listings of an owner's repositories up to date with a new name or visibility, and counts the owner in the other
-- class. Called by owner.
create or replace function relist_owner() returns trigger language plpgsql as $$
begin
  update repository_listing set owner_name = new.lower_name,
    class = repository_class(new.visibility, class >= 24, class & 4 > 0, class & 2 > 0, class & 1 > 0) where owner_id = new.id;
  if old.visibility <> new.visibility then
    perform add_list_total(old.kind, 0, owner_class(old.visibility), -1);
    perform add_list_total(new.kind, 0, owner_class(new.visibility), 1);
  end if;
  return null;
end $$;

create or replace trigger owner_relisted after update on owner for each row
  when ((old.visibility, old.lower_name) is distinct from (new.visibility, new.lower_name)) execute function relist_owner();

-- Deletes what list_repositories added, and the references to the LFS objects of a repository and of its wiki, whose id is the
-- negative one. Called by repository.
create or replace function unlist_repositories() returns trigger language plpgsql as $$
begin
  delete from repository_listing using removed where repository_id = removed.id;
  delete from repository_size using removed where repository_id = removed.id;
  delete from repository_count using removed where repository_id = removed.id;
  delete from blob_reference using removed where kind = 'lfs-object' and subject_id = removed.id;
  delete from blob_reference using removed where kind = 'lfs-object' and subject_id = -removed.id;
  if exists (select from removed where fork_of is not null) then
    update repository_count set forks = forks - forked.count
      from (select fork_of, count(*) as count from removed where fork_of is not null group by fork_of) as forked
      where repository_id = forked.fork_of;
  end if;
  return null;
end $$;

create or replace trigger repository_unlisted after delete on repository referencing old table as removed
  for each statement execute function unlist_repositories();

-- Counts repositories by owner and class, and by class alone (owner 0): the list 'repository' of list_total. Called by
-- repository_listing.
create or replace function count_listed() returns trigger language plpgsql as $$
begin
  perform add_list_total('repository', coalesce(owner_id, 0), class, case tg_op when 'INSERT' then count(*) else -count(*) end)
    from changed group by grouping sets ((owner_id, class), (class));
  return null;
end $$;

create or replace trigger listings_added after insert on repository_listing referencing new table as changed
  for each statement execute function count_listed();

create or replace trigger listings_removed after delete on repository_listing referencing old table as changed
  for each statement execute function count_listed();

-- Counts as count_listed does, for repositories with another owner or class, and gives the other tables of lists the class.
-- Called by repository_listing.
create or replace function count_relisted() returns trigger language plpgsql as $$
begin
  perform add_list_total('repository', coalesce(owner_id, 0), class, sum(change)::bigint) from (
    select owner_id, class, -1 as change from before union all select owner_id, class, 1 from after
  ) as moved group by grouping sets ((owner_id, class), (class)) having sum(change) <> 0;
  update repository_size set class = after.class from after
    where repository_size.repository_id = after.repository_id and repository_size.class <> after.class;
  update repository_count set class = after.class from after
    where repository_count.repository_id = after.repository_id and repository_count.class <> after.class;
  return null;
end $$;

create or replace trigger listings_changed after update on repository_listing referencing old table as before new table as after
  for each statement execute function count_relisted();
