/**
 * The operations that give somebody access: a credential, a membership, a repository, what a repository has in it. Written down
 * apart from the declarations (`givesAccess`), which the test compares with it.
 */

/** Giving access needs what it opens: these are the scope categories beside the operation's own. */
export const givesAccess: Readonly<Record<string, readonly string[]>> = {
  "POST /user/keys": ["repository"],
  "POST /admin/users/{username}/keys": ["repository", "user"],
  "POST /user/applications/oauth2": ["repository"],
  "PATCH /user/applications/oauth2/{id}": ["repository"],
  "POST /repos/{owner}/{repo}/keys": ["repository"],
  "PUT /repos/{owner}/{repo}/collaborators/{collaborator}": ["repository"],
  "PUT /repos/{owner}/{repo}/teams/{team}": ["repository"],
  "POST /repos/{owner}/{repo}/transfer": ["repository"],
  "POST /repos/{owner}/{repo}/push_mirrors": ["repository"],
  "POST /orgs/{org}/teams": ["package", "repository"],
  "PATCH /teams/{id}": ["package", "repository"],
  "PUT /teams/{id}/members/{username}": ["package", "repository"],
  "PUT /teams/{id}/repos/{org}/{repo}": ["repository"],
};

/** Only some changes give access, which the use case finds out. */
export const givesAccessBySome: readonly string[] = [
  // Its password, its address, that it is a site administrator's.
  "PATCH /admin/users/{username}",
  // Its visibility, and that administrators of repositories choose teams.
  "PATCH /orgs/{org}",
  // The events that a webhook hears.
  ...["/admin/hooks", "/orgs/{org}/hooks", "/repos/{owner}/{repo}/hooks", "/user/hooks"].flatMap((path) => [
    `POST ${path}`,
    `PATCH ${path}/{id}`,
  ]),
];

/** What looks as if it did, and why it does not. */
export const givesNone: Readonly<Record<string, string>> = {
  "POST /users/{username}/tokens": "no token makes one: it takes the password",
  "POST /user/two_factor": "takes the password",
  "PUT /user/two_factor": "takes the password",
  "POST /user/two_factor/recovery_codes": "takes the password and a code",
  "POST /admin/users": "a new account has access to nothing",
  "POST /admin/users/{username}/rename": "another name, the same access",
  "POST /admin/users/{username}/quota/groups": "limits what is used",
  "PUT /admin/quota/groups/{quotagroup}/users/{username}": "limits what is used",
  "POST /admin/users/{username}/orgs": "a new organization has nothing in it",
  "POST /admin/users/{username}/repos": "a new repository has nothing in it",
  "POST /admin/unadopted/{owner}/{repo}": "the operator's own files, which no token's user could keep from anybody",
  "POST /admin/hooks/{id}/deliveries/{delivery_id}/attempts": "sends to whom it was sent; needs the scope of the event",
  "POST /orgs/{org}/hooks/{id}/deliveries/{delivery_id}/attempts":
    "sends to whom it was sent; needs the scope of the event",
  "POST /user/hooks/{id}/deliveries/{delivery_id}/attempts": "sends to whom it was sent; needs the scope of the event",
  "POST /repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery_id}/attempts":
    "sends to whom it was sent; needs the scope of the event",
  "POST /repos/{owner}/{repo}/hooks/{id}/tests": "sends a sample to an address that an administrator chose",
  "PATCH /repos/{owner}/{repo}/hooks/git/{id}": "the server has no scripts: refused to all",
  "PUT /orgs/{org}/public_members/{username}": "shows a membership that there is",
  "POST /repos/{owner}/{repo}/transfer/accept": "takes what was offered",
  "POST /repos/{owner}/{repo}/transfer/reject": "takes nothing",
  "PATCH /repos/{owner}/{repo}":
    "makes a repository public, which needs write:repository, and a token for public things sees no private one",
  "POST /repos/{owner}/{repo}/forks": "whoever may not see the parent sees no fork of it",
  "POST /repos/{owner}/{repo}/generate": "makes a repository of a template that the caller reads",
  "POST /repos/migrate": "brings in what is elsewhere",
  "POST /repos/{owner}/{repo}/push_mirrors-sync": "sends to where an administrator said",
  "POST /repos/{owner}/{repo}/mirror-sync": "brings in what is elsewhere",
  "POST /user/emails": "no password is sent to an address that is not the primary one",
  "PUT /orgs/{org}/unblock/{username}": "gives nothing that others do not have",
  "PUT /user/unblock/{username}": "gives nothing that others do not have",
  "PUT /orgs/{org}/actions/secrets/{secretname}": "a secret is written and never shown",
  "PUT /user/actions/secrets/{secretname}": "a secret is written and never shown",
  "PUT /repos/{owner}/{repo}/actions/secrets/{secretname}": "a secret is written and never shown",
  "POST /orgs": "a new organization has nothing in it",
  "POST /orgs/{org}/rename": "another name, the same access",
  "POST /orgs/{org}/repos": "a new repository has nothing in it; needs write:repository",
  "POST /org/{org}/repos": "a new repository has nothing in it; needs write:repository",
  "POST /user/repos": "a new repository has nothing in it",
};

/** Words of paths by which an operation may give access. Each that writes and has one is in a list above. */
export const accessWords: readonly RegExp[] = [
  /\/keys$/,
  /\/(teams|members|public_members|collaborators|transfer|hooks|push_mirrors|oauth2|tokens|secrets|two_factor|unblock|emails|forks|generate|migrate|unadopted|mirror-sync|push_mirrors-sync|rename)(\/|$)/,
  /^\/admin\/.*users(\/|$)/,
  /^\/orgs?(\/\{org\}(\/repos)?)?$/,
  /^\/user\/repos$/,
  /^\/repos\/\{owner\}\/\{repo\}$/,
];
