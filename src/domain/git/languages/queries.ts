import { and, eq, sql } from "drizzle-orm";
import type { RepositoryRow } from "../../../auth/subject.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { repositoryCount } from "../../../db/schema/lists.ts";
import { ref, repository, repositoryLanguages } from "../../../db/schema/repositories.ts";
import type { LanguageBytes } from "../../../git/languages/count-languages.ts";

/** The languages of a commit, and the version of the rules by which they were counted. */
export interface CountedLanguages {
  /** hexadecimal oid */
  readonly commit: string;
  readonly rules: string;
  /** null: there was too much to count. */
  readonly bytes: LanguageBytes | null;
}

interface LanguageState {
  readonly repository: Pick<RepositoryRow, "id" | "name" | "generation" | "objectFormat">;
  /** The commit of the default branch; null when there is no such branch. */
  readonly tip: string | null;
  readonly counted: CountedLanguages | null;
}

const isTip = and(eq(ref.repositoryId, repository.id), sql`${ref.name} = 'refs/heads/' || ${repository.defaultBranch}`);

/** Finds the state of a repository's languages; null if the repository is gone. */
export async function findLanguageState(db: Reader, repositoryId: number): Promise<LanguageState | null> {
  const [row] = await db
    .select({
      repository: {
        id: repository.id,
        name: repository.name,
        generation: repository.generation,
        objectFormat: repository.objectFormat,
      },
      tip: sql<string | null>`encode(${ref.oid}, 'hex')`,
      commit: sql<string | null>`encode(${repositoryLanguages.commit}, 'hex')`,
      rules: repositoryLanguages.rules,
      bytes: repositoryLanguages.bytes,
    })
    .from(repository)
    .leftJoin(ref, isTip)
    .leftJoin(repositoryLanguages, eq(repositoryLanguages.repositoryId, repository.id))
    .where(eq(repository.id, repositoryId));
  if (row === undefined) {
    return null;
  }
  const { commit, rules, bytes } = row;
  const counted = commit === null || rules === null ? null : { commit, rules, bytes };
  return { repository: row.repository, tip: row.tip, counted };
}

const languagesOf = preparedByShape((db: Reader) =>
  db
    .select({ bytes: repositoryLanguages.bytes })
    .from(repositoryLanguages)
    .where(eq(repositoryLanguages.repositoryId, sql.placeholder("repositoryId")))
    .prepare("languages_of_repository"),
);

/** The bytes of each language as they were last counted, the most first; none before that. */
export async function findLanguages(db: Reader, repositoryId: number): Promise<LanguageBytes> {
  const [row] = await languagesOf(db, null).execute({ repositoryId });
  // The column does not keep the order of its keys.
  return Object.fromEntries(
    Object.entries(row?.bytes ?? {}).sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)),
  );
}

/** Notes the languages of the default branch, if the branch is still at that commit; answers whether it is. */
export async function storeLanguages(
  tx: Transaction,
  repositoryId: number,
  { commit, rules, bytes }: CountedLanguages,
): Promise<boolean> {
  const value = sql`${JSON.stringify(bytes)}::text::jsonb`;
  const most = Object.keys(bytes ?? {})[0] ?? "";
  const rows = await tx.execute(sql`
    with stored as (
      insert into ${repositoryLanguages} (repository_id, commit, rules, bytes)
        select ${repository.id}, ${ref.oid}, ${rules}, ${value} from ${repository} join ${ref} on ${isTip}
          where ${repository.id} = ${repositoryId} and ${ref.oid} = decode(${commit}, 'hex')
        on conflict (repository_id) do update set commit = excluded.commit, rules = excluded.rules, bytes = excluded.bytes
      returning repository_id),
    shown as (
      update ${repositoryCount} set language = ${most} from stored
        where ${repositoryCount.repositoryId} = stored.repository_id and ${repositoryCount.language} <> ${most})
    select from stored`);
  return rows.length > 0;
}

/** Forgets the languages of a repository that has no default branch any more. */
export async function deleteLanguages(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.delete(repositoryLanguages).where(eq(repositoryLanguages.repositoryId, repositoryId));
  await setLanguage(tx, repositoryId, "");
}

async function setLanguage(tx: Transaction, repositoryId: number, language: string): Promise<void> {
  await tx
    .update(repositoryCount)
    .set({ language })
    .where(and(eq(repositoryCount.repositoryId, repositoryId), sql`${repositoryCount.language} <> ${language}`));
}

/** Repositories whose default branch is at another commit than their languages are of, or that were counted by other rules. */
export async function repositoriesToCount(db: Reader, rules: string, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: repository.id })
    .from(repository)
    .innerJoin(ref, isTip)
    .leftJoin(repositoryLanguages, eq(repositoryLanguages.repositoryId, repository.id))
    .where(
      sql`not ${repository.empty} and (${repositoryLanguages.commit} is distinct from ${ref.oid} or ${repositoryLanguages.rules} <> ${rules})`,
    )
    .orderBy(repository.id)
    .limit(limit);
  return rows.map(({ id }) => id);
}
