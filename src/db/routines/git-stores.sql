-- Adds the git store of a new repository's code; a wiki adds its own when it begins. Called by repository.
create or replace function store_repositories() returns trigger language plpgsql as $$
begin
  insert into git_store (id) select id from added;
  return null;
end $$;

create or replace trigger repository_stored after insert on repository referencing new table as added
  for each statement execute function store_repositories();

-- Deletes the refs of a store in one statement: a foreign key would look at each ref. Called by git_store.
create or replace function delete_refs() returns trigger language plpgsql as $$
begin
  delete from ref using removed where ref.repository_id = removed.id;
  return null;
end $$;

create or replace trigger refs_deleted after delete on git_store referencing old table as removed
  for each statement execute function delete_refs();
