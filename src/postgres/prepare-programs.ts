import { type Account, chooseAccount, ownerOfPath } from "./account.ts";
import { type Distribution, unpackDistribution } from "./distribution.ts";
import { NoAccount } from "./errors.ts";
import { type Layout, prepareLayout } from "./layout.ts";
import { openCache, trustedCache } from "./trusted-directory.ts";

/**
 * Chooses who a directory's server runs as, and unpacks the programs where they can be reached: below the cache directory,
 * or where that is closed to the account (root's home), in the temporary folder.
 * @throws NoAccount, PostgresUnavailable
 */
export async function preparePrograms(
  layout: Layout,
  cacheDirectory: string,
): Promise<{ account: Account; distribution: Distribution }> {
  const { account, programs } = accountAndPlace(layout, cacheDirectory);
  return { account, distribution: await unpackDistribution(programs) };
}

/** Unpacks the programs for the server that will be started in a directory, which is made if absent, unless they are there already. */
export async function unpackProgramsFor(directory: string, cacheDirectory: string): Promise<void> {
  await preparePrograms(prepareLayout(directory), cacheDirectory);
}

/** Asked before anything is unpacked: that takes a good part of a first start, and should be done once. */
function accountAndPlace(layout: Layout, cacheDirectory: string): { account: Account; programs: string } {
  const owner = ownerOfPath(layout.cluster);
  const cache = trustedCache(cacheDirectory);
  try {
    return { account: chooseAccount(layout.directory, cache, owner), programs: cache };
  } catch (error) {
    if (
      !(error instanceof NoAccount) ||
      error.directory === null ||
      `${layout.directory}/`.startsWith(`${error.directory}/`)
    ) {
      throw error;
    }
    const programs = openCache();
    return { account: chooseAccount(layout.directory, programs, owner), programs };
  }
}
