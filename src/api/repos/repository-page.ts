import type { Forge } from "../../domain/spine/forge.ts";
import type { RepositoryFilter, RepositoryOrder } from "../../domain/repos/list-filter.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { presentRepositories, type PresentedRepository } from "./present-repositories.ts";

/** A page of the repositories that the caller may see, narrowed by the filter. */
export function repositoryPage<Body = PresentedRepository[]>(
  forge: Forge,
  { request, actor, credential, query }: AskedForList,
  filter: RepositoryFilter,
  order: RepositoryOrder,
  wrap?: (list: PresentedRepository[]) => Body,
) {
  return pageOf(
    { request, query, base: forge.addresses.base },
    async (page) => {
      const { rows, total } = await listRepositories(forge.database.db, { actor, credential }, filter, order, page);
      return { rows: await presentRepositories(forge, rows, { actor, credential }), total };
    },
    (presented) => presented,
    wrap,
  );
}
