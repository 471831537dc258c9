-- The bytes that each owner uses: the columns of owner_usage, by which quotas decide.

-- Counts the bytes of blobs: adds those of the changed references, or takes them away if the trigger says -1. A change of a
-- reference is both. In the order of owners, so that two transactions do not deadlock. Called by blob_reference.
create or replace function count_references() returns trigger language plpgsql as $$
declare
  sign integer := tg_argv[0];
begin
  insert into owner_usage as u
    (owner_id, git_lfs, guests_lfs, attachments_issues, guests_issues, attachments_releases, artifacts, packages, pictures)
    select owner_id,
      sign * coalesce(sum(bytes) filter (where kind = 'lfs-object' and not by_guest), 0),
      sign * coalesce(sum(bytes) filter (where kind = 'lfs-object' and by_guest), 0),
      sign * coalesce(sum(bytes) filter (where kind = 'issue-attachment' and not by_guest), 0),
      sign * coalesce(sum(bytes) filter (where kind = 'issue-attachment' and by_guest), 0),
      sign * coalesce(sum(bytes) filter (where kind = 'release-attachment'), 0),
      sign * coalesce(sum(bytes) filter (where kind = 'artifact'), 0),
      sign * coalesce(sum(bytes) filter (where kind in ('package', 'package-index')), 0),
      sign * coalesce(sum(bytes) filter (where kind in ('avatar', 'repository-avatar')), 0)
    from changed group by owner_id
    -- A deleted owner gets no row again.
    having sign > 0 or exists (select from owner where owner.id = changed.owner_id)
    order by owner_id
    on conflict (owner_id) do update set
      git_lfs = u.git_lfs + excluded.git_lfs,
      guests_lfs = u.guests_lfs + excluded.guests_lfs,
      attachments_issues = u.attachments_issues + excluded.attachments_issues,
      guests_issues = u.guests_issues + excluded.guests_issues,
      attachments_releases = u.attachments_releases + excluded.attachments_releases,
      artifacts = u.artifacts + excluded.artifacts,
      packages = u.packages + excluded.packages,
      pictures = u.pictures + excluded.pictures;
  return null;
end $$;

create or replace trigger blob_reference_counted after insert on blob_reference referencing new table as changed
  for each statement execute function count_references('1');

create or replace trigger blob_reference_uncounted after delete on blob_reference referencing old table as changed
  for each statement execute function count_references('-1');

create or replace trigger blob_reference_moved_from after update on blob_reference referencing old table as changed
  for each statement execute function count_references('-1');

create or replace trigger blob_reference_moved_to after update on blob_reference referencing new table as changed
  for each statement execute function count_references('1');

-- Adds to the bytes of an owner's packs: those of repositories, of guests in them, of wikis, and of guests in these. Called by the
-- routines below.
create or replace function use_git_bytes(
  of_owner bigint, in_private boolean, own bigint, of_guests bigint, of_wiki bigint, of_wiki_guests bigint)
  returns void language sql as $$
  insert into owner_usage as u (owner_id, repos_public, repos_private, guests_public, guests_private, wikis, guests_wikis)
    values (of_owner, case when in_private then 0 else own end, case when in_private then own else 0 end,
      case when in_private then 0 else of_guests end, case when in_private then of_guests else 0 end, of_wiki, of_wiki_guests)
    on conflict (owner_id) do update set repos_public = u.repos_public + excluded.repos_public,
      repos_private = u.repos_private + excluded.repos_private, guests_public = u.guests_public + excluded.guests_public,
      guests_private = u.guests_private + excluded.guests_private, wikis = u.wikis + excluded.wikis,
      guests_wikis = u.guests_wikis + excluded.guests_wikis
$$;

-- Counts the packs of a repository and of its wiki. Called by repository_size.
create or replace function count_git_bytes() returns trigger language plpgsql as $$
begin
  perform use_git_bytes(owner_id, private, new.git_bytes - new.guest_bytes - old.git_bytes + old.guest_bytes,
    new.guest_bytes - old.guest_bytes, new.wiki_bytes - new.wiki_guest_bytes - old.wiki_bytes + old.wiki_guest_bytes,
    new.wiki_guest_bytes - old.wiki_guest_bytes) from repository where id = new.repository_id;
  return null;
end $$;

create or replace trigger repository_size_counted after update on repository_size for each row
  when (old.git_bytes <> new.git_bytes or old.guest_bytes <> new.guest_bytes or old.wiki_bytes <> new.wiki_bytes
    or old.wiki_guest_bytes <> new.wiki_guest_bytes)
  execute function count_git_bytes();

-- Copies the bytes of a wiki's packs to repository_size. Called by wiki.
create or replace function count_wiki_bytes() returns trigger language plpgsql as $$
begin
  update repository_size set wiki_bytes = new.git_bytes, wiki_guest_bytes = new.guest_bytes where repository_id = -new.id;
  return null;
end $$;

create or replace trigger wiki_counted after update on wiki for each row
  when (old.git_bytes <> new.git_bytes or old.guest_bytes <> new.guest_bytes) execute function count_wiki_bytes();

-- Moves the packs of a repository to its new owner, or to the other share if it becomes private or public. Called by repository,
-- whose row a push locks, too.
create or replace function move_git_bytes() returns trigger language plpgsql as $$
declare
  moved record;
begin
  select git_bytes - guest_bytes as own, guest_bytes as guests, wiki_bytes - wiki_guest_bytes as wiki, wiki_guest_bytes as wiki_guests
    into moved from repository_size where repository_id = new.id;
  perform use_git_bytes(old.owner_id, old.private, -moved.own, -moved.guests, -moved.wiki, -moved.wiki_guests),
    use_git_bytes(new.owner_id, new.private, moved.own, moved.guests, moved.wiki, moved.wiki_guests);
  return null;
end $$;

create or replace trigger repository_bytes_moved after update on repository for each row
  when (old.owner_id <> new.owner_id or old.private <> new.private) execute function move_git_bytes();

-- Takes away the packs of deleted repositories. Called by repository, before "repository_unlisted" deletes their sizes: triggers
-- run in the order of their names.
create or replace function count_removed_repositories() returns trigger language plpgsql as $$
begin
  update owner_usage u set repos_public = u.repos_public - used.public, repos_private = u.repos_private - used.private,
    guests_public = u.guests_public - used.guests_public, guests_private = u.guests_private - used.guests_private,
    wikis = u.wikis - used.wikis, guests_wikis = u.guests_wikis - used.guests_wikis
    from (select owner_id, sum(wiki_bytes - wiki_guest_bytes) as wikis, sum(wiki_guest_bytes) as guests_wikis,
      coalesce(sum(git_bytes - guest_bytes) filter (where not removed.private), 0) as public,
      coalesce(sum(git_bytes - guest_bytes) filter (where removed.private), 0) as private,
      coalesce(sum(guest_bytes) filter (where not removed.private), 0) as guests_public,
      coalesce(sum(guest_bytes) filter (where removed.private), 0) as guests_private
      from removed join repository_size on repository_id = removed.id group by owner_id) as used
    where u.owner_id = used.owner_id;
  return null;
end $$;

create or replace trigger repository_bytes_gone after delete on repository referencing old table as removed
  for each statement execute function count_removed_repositories();

-- Deletes the usage of a deleted owner. Called by owner.
create or replace function forget_usage() returns trigger language plpgsql as $$
begin
  delete from owner_usage where owner_id = old.id;
  return null;
end $$;

create or replace trigger owner_usage_gone after delete on owner for each row execute function forget_usage();
