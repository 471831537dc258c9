/** The groups of the API, under the names that clients of the family know. Every tag of a route stands here. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  admin: "What only site administrators may do: accounts, quotas, scheduled work",
  issue: "Issues, their comments, labels, milestones and times; much of it holds for pull requests too",
  miscellaneous: "The server's version, Markdown, and templates for new repositories",
  notification: "What happened in the threads that the signed-in user follows",
  organization: "Organizations, their members and teams",
  package: "Packages in the registries",
  repository: "Repositories, what is in them, and everything that hangs on them",
  settings: "Limits and defaults that clients can read",
  user: "Users, and everything of the signed-in one",
};
