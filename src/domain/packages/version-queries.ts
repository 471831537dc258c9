import { eq } from "drizzle-orm";
import type { Reader } from "../../db/client.ts";
import { packageVersion, registryPackage } from "../../db/schema/packages.ts";

/** The versions of a package, as they were written when they came, in no order. */
export async function listVersionNames(db: Reader, packageId: number): Promise<string[]> {
  const rows = await db
    .select({ version: packageVersion.version })
    .from(packageVersion)
    .where(eq(packageVersion.packageId, packageId));
  return rows.map(({ version }) => version);
}

/** The name of the package that a version is of. */
export async function findNameOfVersion(db: Reader, versionId: number): Promise<string | null> {
  const [row] = await db
    .select({ name: registryPackage.name })
    .from(packageVersion)
    .innerJoin(registryPackage, eq(registryPackage.id, packageVersion.packageId))
    .where(eq(packageVersion.id, versionId));
  return row?.name ?? null;
}
