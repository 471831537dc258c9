-- Counts repository_count.transfers, and takes the access that a recipient had to look at the repository when the transfer
-- ends. Called by repository_transfer.
create or replace function count_transfer() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update repository_count set transfers = transfers + 1 where repository_id = new.repository_id;
  else
    delete from collaborator where repository_id = old.repository_id and for_transfer;
    update repository_count set transfers = transfers - 1 where repository_id = old.repository_id;
  end if;
  return null;
end $$;

create or replace trigger transfer_counted after insert or delete on repository_transfer for each row execute function count_transfer();
