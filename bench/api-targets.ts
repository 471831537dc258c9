import type { Target } from "./support/load.ts";
import { wideDirectory } from "./wide-history.ts";

/** A request of the API benchmark in one row of its table. */
export interface ApiCase extends Target {
  label: string;
  credential: "token" | "none";
}

/**
 * The measured requests, with and without a token, for a public repository with README.md and LICENSE at its root, and for
 * `wide`, which has a directory of 1,000 entries.
 * `version` does nothing but answer: it is the control that shows what server and generator cost by themselves.
 */
export function apiCases(url: string, token: string, repository: string, wide: string): ApiCase[] {
  const api = `${url}/api/v1`;
  const paths: [string, string][] = [
    ["version", "/version"],
    ["user", "/user"],
    ["repository", `/repos/${repository}`],
    ["contents of the root", `/repos/${repository}/contents`],
    ["directory of 1,000 entries", `/repos/${wide}/contents/${wideDirectory}`],
    ["contents of a file", `/repos/${repository}/contents/README.md`],
    ["30 commits", `/repos/${repository}/commits?limit=30`],
    ["raw small file", `/repos/${repository}/raw/LICENSE`],
  ];
  return paths.flatMap(([label, path]): ApiCase[] => [
    { label, credential: "token", url: api + path, headers: { Authorization: `token ${token}` }, status: 200 },
    // Without a token this one measures how fast the server refuses.
    { label, credential: "none", url: api + path, headers: {}, status: path === "/user" ? 401 : 200 },
  ]);
}

/** The repository again by someone who has its newest answer already, or null when answers carry no ETag. */
export async function unchangedCase(repositoryCase: ApiCase): Promise<ApiCase | null> {
  const response = await fetch(repositoryCase.url, { headers: repositoryCase.headers });
  await response.body?.cancel();
  const etag = response.headers.get("etag");
  if (etag === null) return null;
  return {
    ...repositoryCase,
    label: "repository, unchanged",
    headers: { ...repositoryCase.headers, "If-None-Match": etag },
    status: 304,
  };
}
