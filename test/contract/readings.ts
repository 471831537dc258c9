import type { Promised } from "./tables.ts";

/** Where the specification and the family's clients cannot both be right, or a promise cannot be kept: what was settled, and why. */
export interface Reading {
  /** Method and path, parameters of the path as {}. */
  at: string;
  reason: string;
  /** Replaces what both sources say. A `body` of null is not compared. */
  promises: Omit<Promised, "body"> & { body?: string | null };
  /** Any operationId will do: the contract's own stands on another path. */
  anyId?: true;
}

const singular = "An operation's name is unique in our document, and the plural path has it";

export const readings: readonly Reading[] = [
  {
    at: "POST /repos/{}/{}/statuses/{}",
    reason: "200 with the list for plain HTTP tools, 201 with the new status for everybody else",
    promises: { answers: { 200: "CommitStatus[]", 201: "CommitStatus" } },
  },
  {
    at: "GET /repos/{}/{}/commits/{}/statuses",
    reason: "The combined status for plain HTTP tools, the list for everybody else and for those that filter",
    promises: { answers: { 200: "any" } },
  },
  {
    at: "GET /repos/{}/{}/releases",
    reason: "Reading never writes: GET lists, POST creates",
    promises: { id: "repoListReleases", body: null, answers: { 200: "Release[]" } },
  },
  ...["/repos/{}/{}/sync_fork", "/repos/{}/{}/sync_fork/{}"].map((path) => ({
    at: `GET ${path}`,
    reason: "The family's document shows a list, and its servers answer the one object, which its clients read",
    promises: { answers: { 200: "SyncForkInfo" } },
  })),
  {
    at: "POST /packages/{}/{}/{}/-/unlink",
    reason: "The family's document says 201, and its servers answer 204, as for everything that is taken away",
    promises: { answers: { 204: "empty" } },
  },
  {
    at: "DELETE /admin/quota/groups/{}/rules/{}",
    reason: "The family's document says 201, and its servers answer 204, as for everything that is taken away",
    promises: { answers: { 204: "empty" } },
  },
  ...["/orgs/{}/quota/check", "/user/quota/check"].map((path) => ({
    at: `GET ${path}`,
    reason: "The answer is a boolean: true when the quota is exceeded; the family's document shows no body",
    promises: { answers: { 200: "boolean" } },
  })),
  ...[
    "GET /repos/{}/{}/issue/{}/comments",
    "PUT /repos/{}/{}/issue/{}/labels",
    "POST /repos/{}/{}/issue/{}/labels",
    "DELETE /repos/{}/{}/issue/{}/labels",
  ].map((at) => ({ at, reason: singular, promises: {}, anyId: true as const })),
  {
    at: "DELETE /repos/{}/{}/issue/{}/labels/{}",
    reason: `${singular}; a label is named by its id or by its name`,
    promises: { path: { index: "integer" } },
    anyId: true,
  },
  {
    at: "DELETE /repos/{}/{}/issues/{}/labels/{}",
    reason: "A label is named by its id or by its name",
    promises: { path: { index: "integer" } },
  },
  {
    at: "DELETE /repos/{}/{}/milestones/{}",
    reason: "A milestone is named by its id or by its title, as it is where it is read",
    promises: { path: {} },
  },
  {
    at: "POST /repos/{}/{}/issues/{}/comments",
    reason: "Only the text matters; the other fields of a new issue are taken and unused",
    promises: { body: null },
  },
  {
    at: "POST /org/{}/repos",
    reason: "The name belongs to the plural path",
    promises: {},
    anyId: true,
  },
  {
    at: "POST /orgs/{}/repos",
    reason: "Its sibling /org/{}/repos needs both scopes, and a token must not gain by the choice of the path",
    promises: { scopes: ["organization", "repository"] },
  },
  ...(
    [
      ["POST /user/keys", ["repository", "user"]],
      ["POST /admin/users/{}/keys", ["admin", "repository", "user"]],
      ["POST /user/applications/oauth2", ["repository", "user"]],
      ["PATCH /user/applications/oauth2/{}", ["repository", "user"]],
      ["POST /orgs/{}/teams", ["organization", "package", "repository"]],
      ["PATCH /teams/{}", ["organization", "package", "repository"]],
      ["PUT /teams/{}/members/{}", ["organization", "package", "repository"]],
      ["PUT /teams/{}/repos/{}/{}", ["organization", "repository"]],
    ] as const
  ).map(([at, scopes]) => ({
    at,
    reason:
      "Giving access needs what it opens: a key opens repositories, an application's secret is asked for them, and a team opens them and packages",
    promises: { scopes: [...scopes] },
  })),
  {
    at: "DELETE /repos/{}/{}/tags/{}",
    reason: "A tag whose name cannot be one does not exist, which is 404 and not 422",
    promises: { failures: { 404: "notFound", 405: "empty", 409: "conflict", 423: "repoArchivedError" } },
  },
  {
    at: "DELETE /repos/{}/{}/releases/tags/{}",
    reason: "422 says that a protected tag is refused, and the tag stays; a tag without a release is 404",
    promises: { failures: { 404: "notFound", 423: "repoArchivedError" } },
  },
  {
    at: "GET /orgs/{}/members/{}",
    reason: "A question with yes or no answers 204 or 404 and never sends the caller elsewhere",
    promises: { failures: { 404: "empty" } },
  },
  {
    at: "POST /repos/{}/{}/issues",
    reason: "412 says that something open is depended on, and a new issue depends on nothing",
    promises: { failures: { 403: "forbidden", 404: "notFound", 422: "validationError", 423: "repoArchivedError" } },
  },
  ...["PUT", "DELETE"].map((method) => ({
    at: `${method} /repos/{}/{}/issues/{}/subscriptions/{}`,
    reason: "304 is for a request that has a condition; the family declares it and answers 200 where nothing changes",
    promises: { failures: { 404: "notFound" } },
  })),
  {
    at: "POST /repos/{}/{}/transfer",
    reason:
      "201 says that the new owner has to accept, as the family answers without declaring it; 202 that it is done",
    promises: { answers: { 201: "Repository", 202: "Repository" } },
  },
  {
    at: "POST /repos/{}/{}/transfer/accept",
    reason: "There are no quotas that it could exceed, and it has no body that could be too large",
    promises: { failures: { 403: "forbidden", 404: "notFound" } },
  },
  {
    at: "POST /user/gpg_key_verify",
    reason: "Which key, and the signature that proves it, come in a body that the family reads without declaring it",
    promises: { body: null },
  },
  {
    at: "POST /repos/{}/{}/markdown/raw",
    reason: "The body is the text, as at /markdown/raw; the family's document does not have the operation",
    promises: { body: null },
  },
  {
    at: "POST /repos/migrate",
    reason: "The payload has a name in the specification and another in the family; its fields are those of both",
    promises: { body: null },
  },
  {
    at: "PATCH /repos/{}/{}/issues/comments/{}",
    reason: "A comment answers 200; another entry of a timeline has no text and answers 204, as in the family",
    promises: { answers: { 200: "Comment", 204: "empty" } },
  },
  {
    at: "PATCH /repos/{}/{}/issues/{}/comments/{}",
    reason: "A comment answers 200; another entry of a timeline has no text and answers 204, as in the family",
    promises: { answers: { 200: "Comment", 204: "empty" } },
  },
  ...(
    [
      ["PUT /notifications", "NotificationThread[]"],
      ["PUT /repos/{}/{}/notifications", "NotificationThread[]"],
      ["PATCH /notifications/threads/{}", "NotificationThread"],
    ] as const
  ).map(([at, body]) => ({
    at,
    reason:
      "205 has no body (RFC 9110) and the runtime sends none; clients of the family, which read one, get 200 with it",
    promises: { answers: { 200: body, 205: "empty" } },
  })),
  {
    at: "GET /topics/search",
    reason:
      "The family's document shows an array; its servers answer an object, and its SDKs read nothing else. A search that finds nothing is an empty list, not 404",
    promises: { answers: { 200: "TopicSearchResult" }, failures: { 403: "forbidden" } },
  },
  ...["/orgs/{}", "/repos/{}/{}", "/user"].flatMap((holder) =>
    ["POST", "PUT", "DELETE"].map((method) => ({
      at: `${method} ${holder}/actions/variables/{}`,
      reason: "The family's document shows 200 and 201, too; its servers answer 204",
      promises: { answers: { 204: "empty" } },
    })),
  ),
  {
    at: "PUT /user/actions/secrets/{}",
    reason: "It makes what is not there: nothing of the own account can be missing",
    promises: { failures: { 400: "error", 401: "unauthorized", 403: "forbidden" } },
  },
  {
    at: "GET /user/actions/variables",
    reason: "Nothing of the own account can be missing, and nothing of the request cannot be read",
    promises: { failures: { 401: "unauthorized", 403: "forbidden" } },
  },
  {
    at: "POST /repos/{}/{}/pulls/{}/merge",
    reason: "200 when it is merged, 201 when that waits for checks, as the family's servers answer",
    promises: { answers: { 200: "empty", 201: "empty" } },
  },
  ...["POST /repos/{}/{}/mirror-sync", "POST /repos/{}/{}/push_mirrors-sync"].map((at) => ({
    at,
    reason: "It asks for what happens later: what does not fit into a quota is refused then, and the mirror tells it",
    promises: { failures: { 403: "forbidden", 404: "notFound" } },
  })),
  {
    at: "GET /repos/{}/{}/actions/tasks",
    reason: "A list that is read clashes with nothing",
    promises: { failures: { 403: "forbidden", 404: "notFound", 422: "validationError" } },
  },
];
