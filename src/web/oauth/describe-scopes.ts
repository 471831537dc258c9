import { scopeCategories } from "../../auth/scopes.ts";

const words: Readonly<Record<string, string>> = {
  openid: "know who you are here",
  profile: "read your name, picture and website",
  email: "read your e-mail address",
  groups: "know your organizations and teams",
  offline_access: "go on when you are not there",
  all: "do everything that you may do: read and change your account, repositories and organizations",
  "public-only": "but nothing with what is not public",
};

const subjects: Readonly<Record<(typeof scopeCategories)[number], string>> = {
  activitypub: "your federated profile",
  admin: "the administration of this server",
  issue: "your issues and pull requests",
  misc: "miscellaneous settings",
  notification: "your notifications",
  organization: "your organizations and teams",
  package: "your packages",
  repository: "your repositories and their code",
  user: "your account and its keys",
};

/** A scope as somebody who is asked for it understands it. */
export function describeScope(scope: string): string {
  const [level = "", category = ""] = scope.split(":");
  const subject = scopeCategories.find((one) => one === category);
  return (
    words[scope] ??
    (subject === undefined ? scope : `${level === "read" ? "read" : "read and change"} ${subjects[subject]}`)
  );
}
