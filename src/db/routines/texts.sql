-- The bytes of texts by repository, for quotas: the list 'text' of list_total, of class 1 those that guests wrote.

-- Counts the texts of rows that come, or those of rows that go if the trigger says -1. Called by issue, comment and former_content.
create or replace function count_texts() returns trigger language plpgsql as $$
declare
  sign integer := tg_argv[0];
begin
  if tg_table_name = 'comment' then
    perform add_list_total('text', repository_id, by_guest::integer::smallint, sign * sum(octet_length(body)))
      from changed group by repository_id, by_guest having sum(octet_length(body)) > 0;
  else
    perform add_list_total('text', repository_id, by_guest::integer::smallint, sign * sum(coalesce(octet_length(title), 0) + coalesce(octet_length(body), 0)))
      from changed group by repository_id, by_guest having sum(coalesce(octet_length(title), 0) + coalesce(octet_length(body), 0)) > 0;
  end if;
  return null;
end $$;

create or replace trigger issue_texts_added after insert on issue referencing new table as changed
  for each statement execute function count_texts('1');

create or replace trigger issue_texts_removed after delete on issue referencing old table as changed
  for each statement execute function count_texts('-1');

create or replace trigger comment_texts_added after insert on comment referencing new table as changed
  for each statement execute function count_texts('1');

create or replace trigger comment_texts_removed after delete on comment referencing old table as changed
  for each statement execute function count_texts('-1');

create or replace trigger former_texts_added after insert on former_content referencing new table as changed
  for each statement execute function count_texts('1');

create or replace trigger former_texts_removed after delete on former_content referencing old table as changed
  for each statement execute function count_texts('-1');

-- Counts by how much a text has changed its length. Called by comment, former_content and issue.
create or replace function count_changed_text() returns trigger language plpgsql as $$
declare
  added integer := octet_length(new.body) - octet_length(old.body);
begin
  if tg_table_name = 'issue' then
    added := added + octet_length(new.title) - octet_length(old.title);
  end if;
  perform add_list_total('text', new.repository_id, new.by_guest::integer::smallint, added);
  return null;
end $$;

create or replace trigger comment_text_changed after update of body on comment for each row
  when (old.body <> new.body) execute function count_changed_text();

create or replace trigger former_text_changed after update of body on former_content for each row
  when (old.body <> new.body) execute function count_changed_text();

create or replace trigger issue_text_changed after update of title, body on issue for each row
  when (old.title <> new.title or old.body <> new.body) execute function count_changed_text();
