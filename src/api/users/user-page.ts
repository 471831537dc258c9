import type { OwnerRow } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import { pageOf, type AskedForList, type Page } from "../common/paging.ts";
import { presentOwner } from "./present.ts";

/** A page of users, whom `load` has found to be known to the caller. */
export function userPage(
  addresses: Addresses,
  { request, actor, query }: Pick<AskedForList, "request" | "actor" | "query">,
  load: (page: Page) => Promise<{ rows: readonly OwnerRow[]; total: number }>,
) {
  return pageOf({ request, query, base: addresses.base }, load, (row) => presentOwner(addresses, row, actor));
}
