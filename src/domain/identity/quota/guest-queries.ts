import { and, eq, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { blobReference } from "../../../db/schema/blob.ts";
import { listTotal, repositorySize } from "../../../db/schema/lists.ts";
import { attachment } from "../../../db/schema/releases.ts";
import { ownerUsage, pullBytes, pullObject } from "../../../db/schema/quota.ts";

/** Which LFS objects a repository has that a pull request brought. */
const isBrought = (repositoryId: number, number: number) =>
  sql`${blobReference.kind} = 'lfs-object' and ${blobReference.subjectId} = ${repositoryId} and ${blobReference.byGuest}
      and ${blobReference.sha256} in (select sha256 from ${pullObject} where repository_id = ${repositoryId} and number = ${number})`;

/** Whether guests brought anything to a repository or its wiki that counts in their share. */
export async function hasGuestBytes(db: Reader, id: number): Promise<boolean> {
  const [row] = await db.execute<{ found: boolean }>(sql`
    select exists (select from ${repositorySize} where repository_id = ${id} and guest_bytes + wiki_guest_bytes > 0)
      or exists (select from ${blobReference} where kind = 'lfs-object' and subject_id in (${id}, ${-id}) and by_guest)
      or exists (select from ${listTotal} where list = 'text' and owner_id = ${id} and class = 1)
      or exists (select from ${attachment} where repository_id = ${id} and by_guest and bytes > 0) as found`);
  return row?.found ?? false;
}

/** Locks the row that counts an owner's bytes: until the end of the transaction, nobody else adds bytes. */
export async function lockUsage(tx: Transaction, ownerId: number): Promise<void> {
  await tx.select().from(ownerUsage).where(eq(ownerUsage.ownerId, ownerId)).for("no key update");
}

/** Returns how many bytes `acceptPullBytes` would make the owner's. */
export async function findPullBytes(tx: Transaction, { id }: { id: number }, number: number): Promise<number> {
  const [row] = await tx.execute<{ bytes: string }>(sql`
    select coalesce((select bytes from ${pullBytes} where repository_id = ${id} and number = ${number}), 0)
      + coalesce((select sum(${blobReference.bytes}) from ${blobReference} where ${isBrought(id, number)}), 0) as bytes`);
  return Number(row?.bytes ?? 0);
}

/** Makes the packs and the LFS objects that a pull request brought the owner's. */
export async function acceptPullBytes(tx: Transaction, repositoryId: number, number: number): Promise<void> {
  await tx.execute(sql`
    with gone as (delete from ${pullBytes} where repository_id = ${repositoryId} and number = ${number} returning bytes)
    update ${repositorySize} set guest_bytes = greatest(0, guest_bytes - gone.bytes)
    from gone where ${repositorySize.repositoryId} = ${repositoryId}`);
  await tx.execute(sql`update ${blobReference} set by_guest = false where ${isBrought(repositoryId, number)}`);
  await tx.delete(pullObject).where(and(eq(pullObject.repositoryId, repositoryId), eq(pullObject.number, number)));
}
