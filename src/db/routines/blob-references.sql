-- The rows of blob_reference say which blobs are in use and whose bytes they are; usage.sql adds them up. Triggers write those
-- of all kinds but 'lfs-object', which a use case adds.

-- Replaces the reference to the picture of a subject; a null digest leaves none. Called by the two routines below.
create or replace function refer_to_picture(of_kind text, of_owner bigint, of_subject bigint, of_sha256 bytea) returns void language sql as $$
  delete from blob_reference where kind = of_kind and subject_id = of_subject;
  insert into blob_reference (sha256, kind, owner_id, subject_id, bytes)
    select sha256, of_kind, of_owner, of_subject, bytes from blob where sha256 = of_sha256;
$$;

-- Called by owner.
create or replace function refer_to_avatar() returns trigger language plpgsql as $$
begin
  perform refer_to_picture('avatar', new.id, coalesce(new.id, old.id), new.avatar_sha256);
  return null;
end $$;

create or replace trigger owner_avatar_set after update on owner for each row
  when (old.avatar_sha256 is distinct from new.avatar_sha256) execute function refer_to_avatar();

create or replace trigger owner_avatar_given after insert on owner for each row
  when (new.avatar_sha256 is not null) execute function refer_to_avatar();

create or replace trigger owner_avatar_gone after delete on owner for each row
  when (old.avatar_sha256 is not null) execute function refer_to_avatar();

-- Called by repository, also if it gets another owner.
create or replace function refer_to_repository_avatar() returns trigger language plpgsql as $$
begin
  perform refer_to_picture('repository-avatar', new.owner_id, coalesce(new.id, old.id), new.avatar_sha256);
  return null;
end $$;

create or replace trigger repository_avatar_set after update on repository for each row
  when (old.avatar_sha256 is distinct from new.avatar_sha256 or (new.avatar_sha256 is not null and old.owner_id <> new.owner_id))
  execute function refer_to_repository_avatar();

create or replace trigger repository_avatar_given after insert on repository for each row
  when (new.avatar_sha256 is not null) execute function refer_to_repository_avatar();

create or replace trigger repository_avatar_gone after delete on repository for each row
  when (old.avatar_sha256 is not null) execute function refer_to_repository_avatar();

-- Adds the references of attachments, which are of the owner of their repository. Called by attachment.
create or replace function refer_to_attachments() returns trigger language plpgsql as $$
begin
  insert into blob_reference (sha256, kind, owner_id, subject_id, bytes, by_guest)
    select added.sha256, case when added.release_id is null then 'issue-attachment' else 'release-attachment' end,
      repository.owner_id, added.id, added.bytes, added.by_guest
    from added join repository on repository.id = added.repository_id where added.sha256 is not null;
  return null;
end $$;

create or replace trigger attachments_added after insert on attachment referencing new table as added
  for each statement execute function refer_to_attachments();

-- Adds the references of artifacts, which are of the owner of their repository. Called by artifact.
create or replace function refer_to_artifacts() returns trigger language plpgsql as $$
begin
  insert into blob_reference (sha256, kind, owner_id, subject_id, bytes)
    select added.sha256, 'artifact', repository.owner_id, added.id, added.bytes
    from added join repository on repository.id = added.repository_id;
  return null;
end $$;

create or replace trigger artifacts_added after insert on artifact referencing new table as added
  for each statement execute function refer_to_artifacts();

-- Adds references of the kind that the trigger names, to files that know their owner. Called by package_file and
-- package_index_file.
create or replace function refer_to_files() returns trigger language plpgsql as $$
begin
  insert into blob_reference (sha256, kind, owner_id, subject_id, bytes)
    select sha256, tg_argv[0], owner_id, id, bytes from added;
  return null;
end $$;

create or replace trigger package_files_added after insert on package_file referencing new table as added
  for each statement execute function refer_to_files('package');

create or replace trigger package_index_files_added after insert on package_index_file referencing new table as added
  for each statement execute function refer_to_files('package-index');

-- Deletes the references, of the kinds that the trigger names, of deleted rows. Called by attachment, artifact, package_file and
-- package_index_file.
create or replace function leave_files() returns trigger language plpgsql as $$
begin
  delete from blob_reference using removed where kind = any (tg_argv) and subject_id = removed.id;
  return null;
end $$;

create or replace trigger attachments_removed after delete on attachment referencing old table as removed
  for each statement execute function leave_files('release-attachment', 'issue-attachment');

create or replace trigger artifacts_removed after delete on artifact referencing old table as removed
  for each statement execute function leave_files('artifact');

create or replace trigger package_files_removed after delete on package_file referencing old table as removed
  for each statement execute function leave_files('package');

create or replace trigger package_index_files_removed after delete on package_index_file referencing old table as removed
  for each statement execute function leave_files('package-index');

-- Gives the references of a repository's artifacts, attachments and LFS objects (its wiki's have the negative id) to its new
-- owner. Called by repository.
create or replace function move_references() returns trigger language plpgsql as $$
begin
  update blob_reference set owner_id = new.owner_id from artifact
    where artifact.repository_id = new.id and kind = 'artifact' and subject_id = artifact.id;
  update blob_reference set owner_id = new.owner_id from attachment
    where attachment.repository_id = new.id and kind in ('release-attachment', 'issue-attachment') and subject_id = attachment.id;
  update blob_reference set owner_id = new.owner_id where kind = 'lfs-object' and subject_id in (new.id, -new.id);
  return null;
end $$;

create or replace trigger repository_references_moved after update on repository for each row
  when (old.owner_id <> new.owner_id) execute function move_references();
