import type { Forge } from "../../domain/forge.ts";
import type { RepositoryFilter, RepositoryOrder } from "../../domain/repos/list-filter.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { presentRepository } from "./present.ts";

type PresentedRepository = ReturnType<typeof presentRepository>;

/** A page of the repositories that the caller may see, narrowed by the filter. */
export function repositoryPage<Body = PresentedRepository[]>(
  { database, addresses }: Forge,
  { request, actor, credential, query }: AskedForList,
  filter: RepositoryFilter,
  order: RepositoryOrder,
  wrap?: (list: PresentedRepository[]) => Body,
) {
  return pageOf(
    { request, query, base: addresses.base },
    (page) => listRepositories(database.db, { actor, credential }, filter, order, page),
    (row) => presentRepository(addresses, row, actor),
    wrap,
  );
}
