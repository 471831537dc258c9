import { t } from "elysia";
import { dateTime, nullable } from "../common/schema.ts";

export const PushMirror = t.Object(
  {
    branch_filter: t.String({ description: "Pattern for names of branches; empty: all" }),
    created: dateTime(),
    interval: t.String({ description: "Such as 8h0m0s; 0s: only when somebody asks for it, or after each push" }),
    last_error: t.String({ description: "Why the last try failed; empty: it did not" }),
    last_update: nullable(dateTime("When it was last brought up to date")),
    public_key: t.String({
      description: "Of the key that the server signs in with, to be registered at the other server",
    }),
    remote_address: t.String({ description: "Without credentials" }),
    remote_name: t.String({ description: "Name of the mirror" }),
    repo_name: t.String(),
    sync_on_commit: t.Boolean(),
  },
  { $id: "PushMirror" },
);

export const CreatePushMirrorOption = t.Object(
  {
    branch_filter: t.Optional(
      t.String({ description: "Pattern for names of branches, such as release/*; empty: all of them" }),
    ),
    interval: t.Optional(t.String({ description: "Such as 8h30m0s; 0 or empty: only after pushes, or when asked to" })),
    remote_address: t.Optional(t.String({ description: "https://, http:// or ssh://, or user@host:path; needed" })),
    remote_password: t.Optional(t.String({ description: "Password or token there" })),
    remote_username: t.Optional(t.String({ description: "User name there" })),
    sync_on_commit: t.Optional(t.Boolean({ description: "After each push" })),
    use_ssh: t.Optional(t.Boolean({ description: "Sign in with a key that the server makes" })),
  },
  { $id: "CreatePushMirrorOption" },
);
