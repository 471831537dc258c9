import type { NamedOwner, NamedRepository } from "../../spine/events/names.ts";

/** The holder of hooks: a repository, a user or an organization, or the instance. */
export type HookPlace =
  | { readonly on: "repository"; readonly repository: NamedRepository }
  | { readonly on: "owner"; readonly owner: NamedOwner }
  | { readonly on: "instance" };
