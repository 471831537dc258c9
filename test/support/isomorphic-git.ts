import fs from "node:fs";
import { TREE, clone, resolveRef, walk } from "isomorphic-git";
import http from "isomorphic-git/http/node";

/** What another implementation of git makes of a repository. */
export interface SecondOpinion {
  /** The oid that HEAD leads to. */
  head: string;
  /** "oid path" of every file at HEAD, sorted. */
  files: string[];
}

/** Clones all branches and tags with isomorphic-git, which shares no code with git, and reads what HEAD has. */
export async function cloneWithIsomorphicGit(url: string, directory: string): Promise<SecondOpinion> {
  const { origin, pathname, username, password } = new URL(url);
  const repository = { fs, dir: directory, cache: {} };
  await clone({
    ...repository,
    http,
    url: origin + pathname,
    noCheckout: true,
    onAuth: () => ({ username, password }),
  });
  const files: string[] = [];
  await walk({
    ...repository,
    trees: [TREE({ ref: "HEAD" })],
    map: async (path, [entry]) => {
      if ((await entry?.type()) !== "tree") {
        files.push(`${await entry?.oid()} ${path}`);
      }
    },
  });
  return { head: await resolveRef({ ...repository, ref: "HEAD" }), files: files.sort() };
}
