import type { PageSpec } from "../pages.ts";

/** Who may see an owner's packages. */
export const readsPackages = { may: { on: "owner", do: "read-packages" } } as const satisfies PageSpec;
/** Who may delete and link them. */
export const writesPackages = {
  may: { on: "owner", do: "write-packages" },
  signedIn: true,
} as const satisfies PageSpec;
/** Who sets the rules by which they are deleted: rules concern packages of all repositories of the owner. */
export const managesPackages = { may: { on: "owner", do: "manage" }, signedIn: true } as const satisfies PageSpec;
