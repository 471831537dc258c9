-- Adds to the counts of topics: changes[i] repositories of the class classes[i] have the topic of_names[i]. In the order of
-- names, so that two transactions do not deadlock. Called by count_topics.
create or replace function add_topics(of_names text[], of_classes smallint[], changes integer[]) returns void language plpgsql as $$
begin
  if of_names is null then
    return;
  end if;
  insert into topic (name, open_to_all, open_to_users, repositories)
    select one.name, coalesce(sum(change) filter (where class < 8), 0), coalesce(sum(change) filter (where class < 16), 0), sum(change)
    from unnest(of_names, of_classes, changes) as one (name, class, change) group by one.name
    having (coalesce(sum(change) filter (where class < 8), 0), coalesce(sum(change) filter (where class < 16), 0), sum(change)) <> (0, 0, 0)
    order by one.name collate "C"
    on conflict (name) do update set open_to_all = topic.open_to_all + excluded.open_to_all,
      open_to_users = topic.open_to_users + excluded.open_to_users,
      repositories = topic.repositories + excluded.repositories, updated_at = now();
  delete from topic where name = any (of_names) and repositories = 0;
end $$;

-- Counts the repositories of a topic that everybody, users, and all together may see: topic.open_to_all, open_to_users and
-- repositories. Called by repository_listing.
create or replace function count_topics() returns trigger language plpgsql as $$
declare
  names text[];
  classes smallint[];
  changes integer[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(topic), array_agg(class), array_agg(change) into names, classes, changes from (
      select topic, class, -1 as change from before, unnest(topics) as topic
      union all select topic, class, 1 from after, unnest(topics) as topic
    ) as moved;
  else
    select array_agg(topic), array_agg(class), array_agg(case tg_op when 'INSERT' then 1 else -1 end) into names, classes, changes
      from changed, unnest(topics) as topic;
  end if;
  perform add_topics(names, classes, changes);
  return null;
end $$;

create or replace trigger topics_added after insert on repository_listing referencing new table as changed
  for each statement execute function count_topics();

create or replace trigger topics_removed after delete on repository_listing referencing old table as changed
  for each statement execute function count_topics();

create or replace trigger topics_changed after update on repository_listing referencing old table as before new table as after
  for each statement execute function count_topics();
