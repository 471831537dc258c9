-- Counts package_index.bytes, the size of the lists of an index before compression, and raises package_index.wanted, by which
-- the index is written again. Called by package_stanza.
create or replace function want_package_indexes() returns trigger language plpgsql as $$
declare
  sign integer := case when tg_op = 'DELETE' then -1 else 1 end;
begin
  insert into package_index (owner_id, type, name, wanted, bytes)
    select owner_id, type, index_name, 1, sign * sum(octet_length(content)) from changed group by 1, 2, 3 order by 1, 2, 3
    on conflict (owner_id, type, name) do update
      set wanted = package_index.wanted + 1, bytes = package_index.bytes + excluded.bytes;
  return null;
end $$;

create or replace trigger package_stanzas_added after insert on package_stanza referencing new table as changed
  for each statement execute function want_package_indexes();

create or replace trigger package_stanzas_removed after delete on package_stanza referencing old table as changed
  for each statement execute function want_package_indexes();

-- Raises package_index.wanted for the indexes that name a package, because others may know of it now. Called by the two
-- routines below.
create or replace function want_indexes_of_package(of_package bigint) returns void language sql as $$
  update package_index set wanted = wanted + 1 where id in (select i.id from package_index i
    join package_stanza s on s.owner_id = i.owner_id and s.type = i.type and s.index_name = i.name
    join package_file f on f.id = s.file_id join package_version v on v.id = f.version_id
    where v.package_id = of_package)
$$;

-- Called by package, which belongs to another repository or is shown to others.
create or replace function want_indexes_of_shown_package() returns trigger language plpgsql as $$
begin
  perform want_indexes_of_package(new.id);
  return null;
end $$;

create or replace trigger package_shown_to_others after update on package for each row
  when (old.repository_id is distinct from new.repository_id or old.insiders_only <> new.insiders_only)
  execute function want_indexes_of_shown_package();

-- Called by repository, which becomes private or public with its packages.
create or replace function want_indexes_of_repository() returns trigger language plpgsql as $$
begin
  perform want_indexes_of_package(id) from package where repository_id = new.id;
  return null;
end $$;

create or replace trigger packages_shown_with_repository after update on repository for each row
  when (old.private <> new.private) execute function want_indexes_of_repository();

-- Keeps the packages of a private repository hidden when it is deleted. Called by repository.
create or replace function hide_packages_of_private_repository() returns trigger language plpgsql as $$
begin
  update package set insiders_only = true where repository_id = old.id;
  return old;
end $$;

create or replace trigger packages_of_private_repository before delete on repository for each row
  when (old.private) execute function hide_packages_of_private_repository();
