import { pathOf } from "./path-of.ts";

/** The paths that git and git-lfs append to the URL of a repository. */
const gitRequest = /\/(info\/(refs|lfs\/.+)|git-(upload|receive)-pack)\/?$/;

/**
 * Has the address of a git request read with one slash where it has several, as git's own server does: an address that was
 * put together from a base with a final slash and a path has two. The request stays the one that came in: a copy of it
 * would read a whole push into memory.
 */
export function readGitAddress(request: Request): void {
  const { url } = request;
  const path = pathOf(url);
  if (path.includes("//") && gitRequest.test(path.replaceAll(/\/+/g, "/"))) {
    const start = url.indexOf("/", url.indexOf("://") + 3);
    Object.defineProperty(request, "url", {
      value: url.slice(0, start) + path.replaceAll(/\/+/g, "/") + url.slice(start + path.length),
    });
  }
}
