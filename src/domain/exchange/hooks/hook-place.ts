import type { NamedOwner, NamedRepository } from "../../spine/events/names.ts";

/** Whose hooks are meant: those of a repository, of a user or an organization, or of the instance. */
export type HookPlace =
  | { readonly on: "repository"; readonly repository: NamedRepository }
  | { readonly on: "owner"; readonly owner: NamedOwner }
  | { readonly on: "instance" };
