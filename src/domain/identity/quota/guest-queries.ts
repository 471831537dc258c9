import { eq, sql } from "drizzle-orm";
import type { Transaction } from "../../../db/client.ts";
import { blobReference } from "../../../db/schema/blob.ts";
import { issue } from "../../../db/schema/issues.ts";
import { repositorySize } from "../../../db/schema/lists.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { ownerUsage, pullBytes } from "../../../db/schema/quota.ts";

/** Which LFS objects a repository has of the fork that a pull request is from. To be joined with `issue` and `pull`. */
const isBrought = (repositoryId: number, number: number) =>
  sql`${issue.repositoryId} = ${repositoryId} and ${issue.number} = ${number} and ${pull.headRepositoryId} <> ${repositoryId}
      and ${blobReference.kind} = 'lfs-object' and ${blobReference.subjectId} = ${repositoryId} and ${blobReference.byGuest}
      and exists (select 1 from ${blobReference} theirs where theirs.kind = 'lfs-object'
        and theirs.subject_id = ${pull.headRepositoryId} and theirs.sha256 = ${blobReference.sha256})`;

/** Locks the row that counts an owner's bytes: until the end of the transaction, nobody else adds bytes. */
export async function lockUsage(tx: Transaction, ownerId: number): Promise<void> {
  await tx.select().from(ownerUsage).where(eq(ownerUsage.ownerId, ownerId)).for("no key update");
}

/** Returns how many bytes `acceptPullBytes` would make the owner's. */
export async function findPullBytes(tx: Transaction, { id }: { id: number }, number: number): Promise<number> {
  const [row] = await tx.execute<{ bytes: string }>(sql`
    select coalesce((select bytes from ${pullBytes} where repository_id = ${id} and number = ${number}), 0)
      + coalesce((select sum(${blobReference.bytes}) from ${blobReference}, ${issue} join ${pull} on ${pull.issueId} = ${issue.id}
        where ${isBrought(id, number)}), 0) as bytes`);
  return Number(row?.bytes ?? 0);
}

/** Makes the packs of a pull request the owner's, and the LFS objects of the fork that it is from. */
export async function acceptPullBytes(tx: Transaction, repositoryId: number, number: number): Promise<void> {
  await tx.execute(sql`
    with gone as (delete from ${pullBytes} where repository_id = ${repositoryId} and number = ${number} returning bytes)
    update ${repositorySize} set guest_bytes = greatest(0, guest_bytes - gone.bytes)
    from gone where ${repositorySize.repositoryId} = ${repositoryId}`);
  await tx.execute(sql`
    update ${blobReference} set by_guest = false from ${issue} join ${pull} on ${pull.issueId} = ${issue.id}
    where ${isBrought(repositoryId, number)}`);
}
