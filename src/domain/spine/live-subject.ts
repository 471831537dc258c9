/**
 * Something that open pages show: the code and checks of a repository, its lists of issues and of pull requests, how many of them are open, an
 * issue or a pull request, the checks of a commit, and the inbox of a user. `forge.live` tells that it changed, and nothing more.
 */
export type LiveSubject =
  | `code:${number}`
  | `issues:${number}`
  | `pulls:${number}`
  | `open-issues:${number}`
  | `open-pulls:${number}`
  | `issue:${number}`
  | `commit:${number}:${string}`
  | `inbox:${number}`;
