-- Counts owner.followers and owner.following. Called by follow.
create or replace function count_follow() returns trigger language plpgsql as $$
declare
  change integer := case tg_op when 'INSERT' then 1 else -1 end;
  who bigint := coalesce(new.follower_id, old.follower_id);
  whom bigint := coalesce(new.followed_id, old.followed_id);
begin
  -- In the order of ids, so that two users who follow each other at the same time do not deadlock.
  perform from owner where id in (who, whom) order by id for no key update;
  update owner set following = following + change where id = who;
  update owner set followers = followers + change where id = whom;
  return null;
end $$;

create or replace trigger follow_counted after insert or delete on follow for each row execute function count_follow();

-- Counts owner.starred and repository_count.stars. Called by star.
create or replace function count_star() returns trigger language plpgsql as $$
declare
  change integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  update owner set starred = starred + change where id = coalesce(new.user_id, old.user_id);
  update repository_count set stars = stars + change where repository_id = coalesce(new.repository_id, old.repository_id);
  return null;
end $$;

create or replace trigger star_counted after insert or delete on star for each row execute function count_star();

-- Counts repository_count.watchers. Called by watch.
create or replace function count_watch() returns trigger language plpgsql as $$
declare
  change integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  update repository_count set watchers = watchers + change where repository_id = coalesce(new.repository_id, old.repository_id);
  return null;
end $$;

create or replace trigger watch_counted after insert or delete on watch for each row execute function count_watch();
