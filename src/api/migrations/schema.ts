import { t } from "elysia";
import { migrationStates } from "../../db/schema/mirrors.ts";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";

const flag = (description: string) => t.Optional(t.Boolean({ description }));
const services = ["git", "github", "gitea", "gitlab", "gogs", "onedev", "gitbucket", "codebase"] as const;

export const MigrateRepoOptions = t.Object(
  {
    auth_password: t.Optional(t.String({ description: "Password there" })),
    auth_token: t.Optional(t.String({ description: "Token there, in place of a password" })),
    auth_username: t.Optional(t.String({ description: "User name there" })),
    authors: t.Optional(
      t.Record(t.String({ maxLength: 255 }), t.String({ maxLength: 255 }), {
        description:
          "Who here wrote what: users here, by the names of users there, at most 1000. All other texts are the caller's. Only site administrators name others than themselves",
      }),
    ),
    authors_by_email: flag(
      "Give texts also to the users here whose verified addresses the other server names, for which you vouch. For site administrators",
    ),
    clone_addr: t.String({ description: "https://, http://, ssh:// or git://, or user@host:path" }),
    description: t.Optional(t.String()),
    issues: flag("Issues with their comments; of the services gitea and github"),
    labels: flag("Labels; of the services gitea and github"),
    lfs: flag("LFS objects that the history points to"),
    lfs_endpoint: t.Optional(t.String({ description: "Where they are; nothing: below clone_addr, as git-lfs looks" })),
    milestones: flag("Milestones; of the services gitea and github"),
    mirror: flag("Follow it from then on"),
    mirror_interval: t.Optional(t.String({ description: "How often, such as 8h30m0s; 0: when asked to" })),
    private: t.Optional(t.Boolean()),
    pull_requests: flag("Pull requests with reviews and comments; of the services gitea and github"),
    releases: flag("Releases with their files; of the services gitea and github"),
    repo_name: t.String({ description: "Name of the repository to make" }),
    repo_owner: t.Optional(t.String({ description: "Its owner: a user or an organization; empty: who asks" })),
    service: t.Optional(oneOf(services, "What serves it there; nothing: git alone is asked")),
    uid: t.Optional(integer({ description: "Id of the owner, in place of repo_owner" })),
    wiki: flag("The wiki, where there is one"),
  },
  { $id: "MigrateRepoOptions" },
);

export const Migration = t.Object(
  {
    clone_addr: t.String({ description: "Without credentials" }),
    created_at: dateTime(),
    error: t.String({ description: "Why it failed; else empty" }),
    finished_at: nullable(dateTime()),
    full_name: t.String({ description: "The repository, as it was asked for; it is gone when the migration failed" }),
    id: integer(),
    percentage: integer({ minimum: 0, maximum: 100 }),
    state: oneOf(migrationStates),
    step: t.String({ description: "What is being brought" }),
  },
  { $id: "Migration" },
);
