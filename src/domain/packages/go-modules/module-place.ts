import { splitPathVersion } from "./module-path.ts";
import { trimEndOf } from "../../../lib/trim-text.ts";

/** Where a module of this server is, by its path. */
export interface ModulePlace {
  readonly owner: string;
  readonly repository: string;
  /** The directory in the repository, without a slash at either end; empty for its root. It begins the names of version tags. */
  readonly directory: string;
  /** The major version at the end of the path, such as "/v2"; empty for versions 0 and 1. */
  readonly major: string;
}

/**
 * Reads a module path such as `forge.example/smith/tools/anvil/v2`, where `base` is the address of this server: its host without a port, its
 * owner, its repository (with ".git", too) and a directory in it. Null for the path of a module that is elsewhere.
 */
export function placeOfModule(base: string, module: string): ModulePlace | null {
  const { hostname, pathname } = new URL(base);
  const root = `${trimEndOf(hostname + pathname, "/")}/`;
  const split = splitPathVersion(module);
  if (!module.startsWith(root) || split === null) {
    return null;
  }
  const [owner = "", repository = "", ...rest] = module.slice(root.length).split("/");
  if (owner === "" || repository === "") {
    return null;
  }
  // A repository may itself be called "v2".
  const major = rest.length === 0 ? "" : split.major;
  const below = rest.map((part) => `/${part}`).join("");
  return {
    owner,
    repository: repository.replace(/\.git$/, ""),
    directory: below.slice(1, below.length - major.length),
    major,
  };
}
