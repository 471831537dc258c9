CREATE TABLE "artifact" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "artifact_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"run_number" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"sha256" "bytea" NOT NULL,
	"bytes" bigint NOT NULL,
	"uploader_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "blob" (
	"sha256" "bytea" PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "blob_reference" (
	"sha256" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"owner_id" bigint NOT NULL,
	"subject_id" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"by_guest" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blob_reference_kind_subject_id_sha256_pk" PRIMARY KEY("kind","subject_id","sha256"),
	CONSTRAINT "blob_reference_kind" CHECK ("blob_reference"."kind" in ('lfs-object', 'avatar', 'repository-avatar', 'release-attachment', 'issue-attachment', 'artifact', 'package', 'package-index'))
);
--> statement-breakpoint
CREATE TABLE "comment" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "comment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"issue_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"author_id" bigint,
	"original_author" text DEFAULT '' NOT NULL,
	"original_author_id" bigint DEFAULT 0 NOT NULL,
	"body" text DEFAULT '' NOT NULL,
	"by_guest" boolean DEFAULT false NOT NULL,
	"content_version" bigint DEFAULT 0 NOT NULL,
	"label_id" bigint,
	"milestone_id" bigint,
	"old_milestone_id" bigint,
	"assignee_id" bigint,
	"assignee_team_id" bigint,
	"review_id" bigint,
	"pending" boolean DEFAULT false NOT NULL,
	"added" boolean,
	"old_text" text,
	"new_text" text,
	"other_issue_id" bigint,
	"other_comment_id" bigint,
	"commit_oid" "bytea",
	"other_repository_id" bigint,
	"ref_action" text,
	"ref_done" boolean,
	"ref_key" text,
	"seconds" bigint,
	"tracked_time_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_content" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "former_content_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"issue_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	"by_guest" boolean NOT NULL,
	"comment_id" bigint,
	"title" text,
	"body" text,
	"editor_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"forgotten_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "reaction" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reaction_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"issue_id" bigint NOT NULL,
	"comment_id" bigint,
	"user_id" bigint NOT NULL,
	"content" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reaction_content" CHECK (length("reaction"."content") between 1 and 50)
);
--> statement-breakpoint
CREATE TABLE "review_comment" (
	"comment_id" bigint PRIMARY KEY NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"side" text NOT NULL,
	"line" integer NOT NULL,
	"extra_lines" integer DEFAULT 0 NOT NULL,
	"commit_oid" "bytea" NOT NULL,
	"original_commit_oid" "bytea" NOT NULL,
	"original_line" integer NOT NULL,
	"original_extra_lines" integer DEFAULT 0 NOT NULL,
	"diff_hunk" text DEFAULT '' NOT NULL,
	"invalidated" boolean DEFAULT false NOT NULL,
	"resolver_id" bigint,
	"resolved_at" timestamp with time zone,
	"reply_to" bigint,
	CONSTRAINT "review_comment_line" CHECK ("review_comment"."extra_lines" >= 0 and "review_comment"."line" > "review_comment"."extra_lines" and "review_comment"."original_extra_lines" >= 0 and "review_comment"."original_line" > "review_comment"."original_extra_lines")
);
--> statement-breakpoint
CREATE TABLE "access_token_repository" (
	"token_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	CONSTRAINT "access_token_repository_token_id_repository_id_pk" PRIMARY KEY("token_id","repository_id")
);
--> statement-breakpoint
CREATE TABLE "email_address" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "email_address_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"email" text NOT NULL,
	"lower_email" text COLLATE "C" NOT NULL,
	"verified" boolean DEFAULT false NOT NULL,
	"primary" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gpg_key" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gpg_key_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"key_id" text COLLATE "C" NOT NULL,
	"fingerprint" text COLLATE "C" NOT NULL,
	"subkey_ids" text[] DEFAULT '{}' NOT NULL,
	"content" text NOT NULL,
	"emails" text[] DEFAULT '{}' NOT NULL,
	"verified" boolean DEFAULT false NOT NULL,
	"key_created_at" timestamp with time zone NOT NULL,
	"key_expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail_token" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" bigint NOT NULL,
	"email_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "mail_token_purpose" CHECK ("mail_token"."purpose" in ('verify-email', 'reset-password'))
);
--> statement-breakpoint
CREATE TABLE "recovery_code" (
	"user_id" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "recovery_code_user_id_hash_pk" PRIMARY KEY("user_id","hash")
);
--> statement-breakpoint
CREATE TABLE "session" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "session_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"hash" "bytea" NOT NULL,
	"user_id" bigint NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"address" text DEFAULT '' NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	CONSTRAINT "session_state" CHECK ("session"."state" in ('second-factor', 'change-password', 'signed-in'))
);
--> statement-breakpoint
CREATE TABLE "two_factor" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"confirmed" boolean DEFAULT false NOT NULL,
	"last_step" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "hook" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hook_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint,
	"owner_id" bigint,
	"system" boolean DEFAULT false NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"url" text NOT NULL,
	"content_type" text COLLATE "C" NOT NULL,
	"options" jsonb NOT NULL,
	"events" text[] NOT NULL,
	"branch_filter" text NOT NULL,
	"active" boolean NOT NULL,
	"seal_id" uuid NOT NULL,
	"secret" "bytea",
	"authorization" "bytea",
	"authorization_shown" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failing_since" timestamp with time zone,
	"paused_at" timestamp with time zone,
	"next_at" timestamp with time zone,
	CONSTRAINT "hook_place" CHECK ("hook"."repository_id" is null or "hook"."owner_id" is null),
	CONSTRAINT "hook_system" CHECK (not "hook"."system" or ("hook"."repository_id" is null and "hook"."owner_id" is null))
);
--> statement-breakpoint
CREATE TABLE "hook_delivery" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hook_delivery_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uuid" uuid NOT NULL,
	"hook_id" bigint NOT NULL,
	"event_id" bigint NOT NULL,
	"state" text COLLATE "C" DEFAULT 'waiting' NOT NULL,
	"redelivery" boolean DEFAULT false NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"attempted_at" timestamp with time zone,
	"duration_ms" integer,
	"url" text,
	"request_headers" jsonb,
	"status" integer,
	"response_headers" jsonb,
	"response_body" text,
	"failure" text
);
--> statement-breakpoint
CREATE TABLE "hook_event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "hook_event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text COLLATE "C" NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"repository_id" bigint,
	"owner_id" bigint DEFAULT 0 NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"hook_ids" bigint[],
	"source" jsonb,
	"payload" text,
	"make_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "installation_only" CHECK ("installation"."only")
);
--> statement-breakpoint
CREATE TABLE "issue" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "issue_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"is_pull" boolean DEFAULT false NOT NULL,
	"title" text NOT NULL,
	"body" text DEFAULT '' NOT NULL,
	"by_guest" boolean DEFAULT false NOT NULL,
	"author_id" bigint,
	"original_author" text DEFAULT '' NOT NULL,
	"original_author_id" bigint DEFAULT 0 NOT NULL,
	"closed_at" timestamp with time zone,
	"closed_by_id" bigint,
	"locked_at" timestamp with time zone,
	"lock_reason" text,
	"milestone_id" bigint,
	"due_at" timestamp with time zone,
	"ref" text DEFAULT '' NOT NULL,
	"comments" integer DEFAULT 0 NOT NULL,
	"pin_order" integer,
	"content_version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"words" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('simple', left("title", 1000)), 'A') || to_tsvector('simple', left("body", 100000))) STORED NOT NULL
);
--> statement-breakpoint
CREATE TABLE "issue_assignee" (
	"issue_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "issue_assignee_issue_id_user_id_pk" PRIMARY KEY("issue_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "issue_dependency" (
	"issue_id" bigint NOT NULL,
	"depends_on_id" bigint NOT NULL,
	CONSTRAINT "issue_dependency_issue_id_depends_on_id_pk" PRIMARY KEY("issue_id","depends_on_id"),
	CONSTRAINT "issue_dependency_other" CHECK ("issue_dependency"."issue_id" <> "issue_dependency"."depends_on_id")
);
--> statement-breakpoint
CREATE TABLE "issue_label" (
	"issue_id" bigint NOT NULL,
	"label_id" bigint NOT NULL,
	"repository_id" bigint DEFAULT 0 NOT NULL,
	"is_pull" boolean DEFAULT false NOT NULL,
	"is_open" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "issue_label_issue_id_label_id_pk" PRIMARY KEY("issue_id","label_id")
);
--> statement-breakpoint
CREATE TABLE "issue_mention" (
	"issue_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "issue_mention_issue_id_user_id_pk" PRIMARY KEY("issue_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "issue_redirect" (
	"repository_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"issue_id" bigint NOT NULL,
	CONSTRAINT "issue_redirect_repository_id_number_pk" PRIMARY KEY("repository_id","number")
);
--> statement-breakpoint
CREATE TABLE "issue_sequence" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"last" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "issue_subscription" (
	"issue_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"watching" boolean NOT NULL,
	CONSTRAINT "issue_subscription_issue_id_user_id_pk" PRIMARY KEY("issue_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "label" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "label_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint,
	"owner_id" bigint,
	"name" text NOT NULL,
	"color" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"exclusive" boolean DEFAULT false NOT NULL,
	"archived_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "label_belongs" CHECK (num_nonnulls("label"."repository_id", "label"."owner_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "milestone" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "milestone_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"title" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"due_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	"open_issues" integer DEFAULT 0 NOT NULL,
	"closed_issues" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "job_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C",
	"principal" bigint DEFAULT 0 NOT NULL,
	"doer" jsonb NOT NULL,
	"payload" jsonb NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"run_at" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_by" text,
	"leased_until" timestamp with time zone,
	"superseded" boolean DEFAULT false NOT NULL,
	"last_error" text
);
--> statement-breakpoint
CREATE TABLE "deploy_key" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "deploy_key_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	"title" text NOT NULL,
	"comment" text DEFAULT '' NOT NULL,
	"read_only" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "ssh_key" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ssh_key_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"fingerprint" text COLLATE "C" NOT NULL,
	"content" text COLLATE "C" NOT NULL,
	"comment" text DEFAULT '' NOT NULL,
	"user_id" bigint,
	"title" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "ssh_key_title" CHECK ("ssh_key"."user_id" is not null or "ssh_key"."title" = '')
);
--> statement-breakpoint
CREATE TABLE "lfs_lock" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lfs_lock_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"user_id" bigint NOT NULL,
	"ref_name" text DEFAULT '' NOT NULL,
	"locked_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "list_total" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "list_total_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"list" text NOT NULL,
	"owner_id" bigint NOT NULL,
	"class" smallint NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_count" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"class" smallint NOT NULL,
	"stars" integer DEFAULT 0 NOT NULL,
	"watchers" integer DEFAULT 0 NOT NULL,
	"releases" integer DEFAULT 0 NOT NULL,
	"language" text DEFAULT '' NOT NULL,
	"transfers" integer DEFAULT 0 NOT NULL,
	"forks" integer DEFAULT 0 NOT NULL,
	"open_issues" integer DEFAULT 0 NOT NULL,
	"closed_issues" integer DEFAULT 0 NOT NULL,
	"open_pulls" integer DEFAULT 0 NOT NULL,
	"closed_pulls" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_listing" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"owner_id" bigint NOT NULL,
	"class" smallint NOT NULL,
	"owner_name" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"topics" text[] NOT NULL,
	"description" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_size" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"class" smallint NOT NULL,
	"git_bytes" bigint DEFAULT 0 NOT NULL,
	"guest_bytes" bigint DEFAULT 0 NOT NULL,
	"wiki_bytes" bigint DEFAULT 0 NOT NULL,
	"wiki_guest_bytes" bigint DEFAULT 0 NOT NULL,
	"lfs_bytes" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint GENERATED ALWAYS AS (git_bytes + lfs_bytes) STORED NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "topic" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "topic_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text COLLATE "C" NOT NULL,
	"open_to_all" integer NOT NULL,
	"open_to_users" integer NOT NULL,
	"repositories" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pull_mirror" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"sealed_credentials" "bytea",
	"host_key" text,
	"interval_seconds" integer NOT NULL,
	"tried_at" timestamp with time zone,
	"synced_at" timestamp with time zone,
	"last_error" text DEFAULT '' NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"prune" boolean NOT NULL,
	"lfs" boolean DEFAULT false NOT NULL,
	"wiki" boolean DEFAULT false NOT NULL,
	"lfs_endpoint" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_mirror" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "push_mirror_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"address" text NOT NULL,
	"sealed_credentials" "bytea",
	"host_key" text,
	"interval_seconds" integer NOT NULL,
	"tried_at" timestamp with time zone,
	"synced_at" timestamp with time zone,
	"last_error" text DEFAULT '' NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"maker_id" bigint,
	"public_key" text,
	"sync_on_commit" boolean NOT NULL,
	"branch_filter" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_migration" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "repository_migration_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"actor_id" bigint NOT NULL,
	"repository_id" bigint,
	"full_name" text NOT NULL,
	"address" text NOT NULL,
	"host_key" text,
	"sealed_credentials" "bytea",
	"options" jsonb NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"step" text DEFAULT '' NOT NULL,
	"percentage" integer DEFAULT 0 NOT NULL,
	"error" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "repository_migration_state" CHECK ("repository_migration"."state" in ('waiting', 'running', 'done', 'failed', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "notification" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notification_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	"subject" text NOT NULL,
	"issue_id" bigint,
	"status" text DEFAULT 'unread' NOT NULL,
	"reason" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"unread_since" timestamp with time zone DEFAULT now() NOT NULL,
	"snoozed_until" timestamp with time zone,
	CONSTRAINT "notification_subject" CHECK (("notification"."issue_id" is null) = ("notification"."subject" = 'repository'))
);
--> statement-breakpoint
CREATE TABLE "oauth_access_token" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"grant_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_application" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "oauth_application_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint,
	"name" text NOT NULL,
	"client_id" text COLLATE "C" NOT NULL,
	"client_secret_hash" "bytea" NOT NULL,
	"confidential" boolean DEFAULT true NOT NULL,
	"redirect_uris" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_code" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"grant_id" bigint NOT NULL,
	"redirect_uri" text NOT NULL,
	"code_challenge" text NOT NULL,
	"nonce" text DEFAULT '' NOT NULL,
	"scopes" text[] DEFAULT '{}' NOT NULL,
	"used_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_grant" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "oauth_grant_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"application_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_refresh_token" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"grant_id" bigint NOT NULL,
	"scopes" text[] NOT NULL,
	"used_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"transaction" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"doer" jsonb NOT NULL,
	"owner_id" bigint,
	"repository_id" bigint,
	"kind" text COLLATE "C" NOT NULL,
	"payload" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox_receiver" (
	"name" text PRIMARY KEY NOT NULL,
	"taken" "pg_snapshot" NOT NULL,
	"taking" "pg_snapshot",
	"taken_id" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "access_token" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "access_token_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"last_eight" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"restricted" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "account" (
	"owner_id" bigint PRIMARY KEY NOT NULL,
	"password_hash" text,
	"must_change_password" boolean DEFAULT false NOT NULL,
	"is_admin" boolean DEFAULT false NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"suspended" boolean DEFAULT false NOT NULL,
	"restricted" boolean DEFAULT false NOT NULL,
	"language" text DEFAULT '' NOT NULL,
	"last_sign_in_at" timestamp with time zone,
	"keep_activity_private" boolean DEFAULT false NOT NULL,
	"theme" text DEFAULT '' NOT NULL,
	"diff_view_style" text DEFAULT '' NOT NULL,
	"enable_repo_unit_hints" boolean DEFAULT true NOT NULL,
	"may_create_organizations" boolean DEFAULT true NOT NULL,
	"max_repositories" integer DEFAULT -1 NOT NULL,
	"mail_choice" text,
	"login_name" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "owner" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "owner_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"lower_name" text COLLATE "C" NOT NULL,
	"full_name" text DEFAULT '' NOT NULL,
	"email" text DEFAULT '' NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"website" text DEFAULT '' NOT NULL,
	"location" text DEFAULT '' NOT NULL,
	"pronouns" text DEFAULT '' NOT NULL,
	"keep_email_private" boolean DEFAULT false NOT NULL,
	"visibility" text DEFAULT 'public' NOT NULL,
	"repo_admin_change_team_access" boolean DEFAULT false NOT NULL,
	"keep_pronouns_private" boolean DEFAULT false NOT NULL,
	"avatar_sha256" "bytea",
	"followers" integer DEFAULT 0 NOT NULL,
	"following" integer DEFAULT 0 NOT NULL,
	"starred" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "owner_kind" CHECK ("owner"."kind" in ('user', 'organization')),
	CONSTRAINT "owner_visibility" CHECK ("owner"."visibility" in ('public', 'limited', 'private'))
);
--> statement-breakpoint
CREATE TABLE "owner_redirect" (
	"lower_name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"owner_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "public_member" (
	"organization_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "public_member_organization_id_user_id_pk" PRIMARY KEY("organization_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "team" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "team_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"organization_id" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"lower_name" text COLLATE "C" NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"mode" integer NOT NULL,
	"includes_all_repositories" boolean DEFAULT false NOT NULL,
	"can_create_repositories" boolean DEFAULT false NOT NULL,
	CONSTRAINT "team_mode" CHECK ("team"."mode" between 0 and 4)
);
--> statement-breakpoint
CREATE TABLE "team_member" (
	"team_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "team_member_team_id_user_id_pk" PRIMARY KEY("team_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "team_unit" (
	"team_id" bigint NOT NULL,
	"unit" text NOT NULL,
	"mode" integer NOT NULL,
	CONSTRAINT "team_unit_team_id_unit_pk" PRIMARY KEY("team_id","unit"),
	CONSTRAINT "team_unit_mode" CHECK ("team_unit"."mode" between 0 and 2)
);
--> statement-breakpoint
CREATE TABLE "package_cleanup_rule" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_cleanup_rule_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"enabled" boolean NOT NULL,
	"keep_count" integer NOT NULL,
	"keep_pattern" text NOT NULL,
	"remove_days" integer NOT NULL,
	"remove_pattern" text NOT NULL,
	"match_full_name" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"followed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "package_download" (
	"version_id" bigint PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "package_download_day" (
	"version_id" bigint NOT NULL,
	"day" date NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "package_download_day_version_id_day_pk" PRIMARY KEY("version_id","day")
);
--> statement-breakpoint
CREATE TABLE "package_file" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_file_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"version_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	"name" text NOT NULL,
	"lower_name" text COLLATE "C" NOT NULL,
	"place" text COLLATE "C" DEFAULT '' NOT NULL,
	"sha256" "bytea" NOT NULL,
	"md5" "bytea" NOT NULL,
	"sha1" "bytea" NOT NULL,
	"sha512" "bytea" NOT NULL,
	"bytes" bigint NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "package_index" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_index_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"wanted" bigint NOT NULL,
	"built" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"generation" bigint DEFAULT 0 NOT NULL,
	"built_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "package_index_file" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_index_file_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"index_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	"generation" bigint NOT NULL,
	"audience" text NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"sha256" "bytea" NOT NULL,
	"md5" "bytea" NOT NULL,
	"sha1" "bytea" NOT NULL,
	"sha512" "bytea" NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "package_key" (
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"public_key" text NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "package_key_owner_id_type_pk" PRIMARY KEY("owner_id","type")
);
--> statement-breakpoint
CREATE TABLE "package_stanza" (
	"file_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"index_name" text COLLATE "C" NOT NULL,
	"part" text COLLATE "C" NOT NULL,
	"sort" text COLLATE "C" NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "package_stanza_file_id_index_name_part_pk" PRIMARY KEY("file_id","index_name","part")
);
--> statement-breakpoint
CREATE TABLE "package_version" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_version_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"package_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	"version" text NOT NULL,
	"lower_version" text COLLATE "C" NOT NULL,
	"creator_id" bigint,
	"about" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "package" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "package_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"lower_name" text COLLATE "C" NOT NULL,
	"repository_id" bigint,
	"insiders_only" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "branch_protection" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "branch_protection_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"rule_name" text COLLATE "C" NOT NULL,
	"priority" integer NOT NULL,
	"enable_push" boolean DEFAULT false NOT NULL,
	"enable_push_list" boolean DEFAULT false NOT NULL,
	"push_deploy_keys" boolean DEFAULT false NOT NULL,
	"enable_force_push" boolean DEFAULT false NOT NULL,
	"enable_force_push_list" boolean DEFAULT false NOT NULL,
	"force_push_deploy_keys" boolean DEFAULT false NOT NULL,
	"enable_delete" boolean DEFAULT false NOT NULL,
	"enable_delete_list" boolean DEFAULT false NOT NULL,
	"delete_deploy_keys" boolean DEFAULT false NOT NULL,
	"enable_merge_list" boolean DEFAULT false NOT NULL,
	"enable_approvals_list" boolean DEFAULT false NOT NULL,
	"required_approvals" integer DEFAULT 0 NOT NULL,
	"enable_status_check" boolean DEFAULT false NOT NULL,
	"status_check_contexts" text[] DEFAULT '{}' NOT NULL,
	"block_on_rejected_reviews" boolean DEFAULT false NOT NULL,
	"block_on_official_review_requests" boolean DEFAULT false NOT NULL,
	"block_on_outdated_branch" boolean DEFAULT false NOT NULL,
	"dismiss_stale_approvals" boolean DEFAULT false NOT NULL,
	"ignore_stale_approvals" boolean DEFAULT false NOT NULL,
	"require_signed_commits" boolean DEFAULT false NOT NULL,
	"protected_file_patterns" text DEFAULT '' NOT NULL,
	"unprotected_file_patterns" text DEFAULT '' NOT NULL,
	"apply_to_admins" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "branch_protection_approvals" CHECK ("branch_protection"."required_approvals" >= 0)
);
--> statement-breakpoint
CREATE TABLE "branch_protection_team" (
	"protection_id" bigint NOT NULL,
	"list" text NOT NULL,
	"team_id" bigint NOT NULL,
	CONSTRAINT "branch_protection_team_protection_id_list_team_id_pk" PRIMARY KEY("protection_id","list","team_id")
);
--> statement-breakpoint
CREATE TABLE "branch_protection_user" (
	"protection_id" bigint NOT NULL,
	"list" text NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "branch_protection_user_protection_id_list_user_id_pk" PRIMARY KEY("protection_id","list","user_id")
);
--> statement-breakpoint
CREATE TABLE "tag_protection" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tag_protection_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"name_pattern" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tag_protection_team" (
	"protection_id" bigint NOT NULL,
	"team_id" bigint NOT NULL,
	CONSTRAINT "tag_protection_team_protection_id_team_id_pk" PRIMARY KEY("protection_id","team_id")
);
--> statement-breakpoint
CREATE TABLE "tag_protection_user" (
	"protection_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "tag_protection_user_protection_id_user_id_pk" PRIMARY KEY("protection_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "pull" (
	"issue_id" bigint PRIMARY KEY NOT NULL,
	"open" boolean DEFAULT true NOT NULL,
	"base_repository_id" bigint NOT NULL,
	"base_branch" text COLLATE "C" NOT NULL,
	"base_oid" "bytea" NOT NULL,
	"flow" text DEFAULT 'branch' NOT NULL,
	"head_repository_id" bigint,
	"head_branch" text COLLATE "C" NOT NULL,
	"head_oid" "bytea" NOT NULL,
	"merge_base_oid" "bytea",
	"mergeability" text DEFAULT 'checking' NOT NULL,
	"checked_head_oid" "bytea",
	"checked_base_oid" "bytea",
	"conflicted_files" text[] DEFAULT '{}' NOT NULL,
	"additions" integer DEFAULT 0 NOT NULL,
	"deletions" integer DEFAULT 0 NOT NULL,
	"changed_files" integer DEFAULT 0 NOT NULL,
	"commit_count" integer DEFAULT 0 NOT NULL,
	"behind_count" integer DEFAULT 0 NOT NULL,
	"allow_maintainer_edit" boolean DEFAULT false NOT NULL,
	"maintainer_edit_by_id" bigint,
	"review_comments" integer DEFAULT 0 NOT NULL,
	"merged_at" timestamp with time zone,
	"merged_by_id" bigint,
	"merge_commit_oid" "bytea",
	"merge_style" text,
	CONSTRAINT "pull_merged" CHECK (("pull"."merged_at" is null) = ("pull"."merge_commit_oid" is null)),
	CONSTRAINT "pull_counts" CHECK (least("pull"."additions", "pull"."deletions", "pull"."changed_files", "pull"."commit_count", "pull"."behind_count", "pull"."review_comments") >= 0)
);
--> statement-breakpoint
CREATE TABLE "pull_auto_merge" (
	"pull_id" bigint PRIMARY KEY NOT NULL,
	"doer_id" bigint NOT NULL,
	"credential" jsonb DEFAULT '{"kind":"none"}'::jsonb NOT NULL,
	"head_oid" "bytea" NOT NULL,
	"style" text NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	"delete_branch" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "review" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "review_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"pull_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"reviewer_id" bigint,
	"team_id" bigint,
	"asked_by_id" bigint,
	"body" text DEFAULT '' NOT NULL,
	"content_version" integer DEFAULT 0 NOT NULL,
	"commit_oid" "bytea",
	"official" boolean DEFAULT false NOT NULL,
	"stale" boolean DEFAULT false NOT NULL,
	"dismissed" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"submitted_at" timestamp with time zone,
	CONSTRAINT "review_team_request" CHECK ("review"."team_id" is null or ("review"."kind" = 'request' and "review"."reviewer_id" is null))
);
--> statement-breakpoint
CREATE TABLE "viewed_file" (
	"pull_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"oid" "bytea" NOT NULL,
	CONSTRAINT "viewed_file_pull_id_user_id_path_pk" PRIMARY KEY("pull_id","user_id","path")
);
--> statement-breakpoint
CREATE TABLE "owner_usage" (
	"owner_id" bigint PRIMARY KEY NOT NULL,
	"repos_public" bigint DEFAULT 0 NOT NULL,
	"repos_private" bigint DEFAULT 0 NOT NULL,
	"git_lfs" bigint DEFAULT 0 NOT NULL,
	"attachments_issues" bigint DEFAULT 0 NOT NULL,
	"attachments_releases" bigint DEFAULT 0 NOT NULL,
	"artifacts" bigint DEFAULT 0 NOT NULL,
	"packages" bigint DEFAULT 0 NOT NULL,
	"wikis" bigint DEFAULT 0 NOT NULL,
	"pictures" bigint DEFAULT 0 NOT NULL,
	"guests_public" bigint DEFAULT 0 NOT NULL,
	"guests_private" bigint DEFAULT 0 NOT NULL,
	"guests_lfs" bigint DEFAULT 0 NOT NULL,
	"guests_issues" bigint DEFAULT 0 NOT NULL,
	"guests_wikis" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pull_bytes" (
	"repository_id" bigint NOT NULL,
	"number" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "pull_bytes_repository_id_number_pk" PRIMARY KEY("repository_id","number")
);
--> statement-breakpoint
CREATE TABLE "pull_object" (
	"repository_id" bigint NOT NULL,
	"number" bigint NOT NULL,
	"sha256" "bytea" NOT NULL,
	CONSTRAINT "pull_object_repository_id_number_sha256_pk" PRIMARY KEY("repository_id","number","sha256")
);
--> statement-breakpoint
CREATE TABLE "quota_group" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quota_group_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quota_group_owner" (
	"group_id" bigint NOT NULL,
	"owner_id" bigint NOT NULL,
	CONSTRAINT "quota_group_owner_owner_id_group_id_pk" PRIMARY KEY("owner_id","group_id")
);
--> statement-breakpoint
CREATE TABLE "quota_group_rule" (
	"group_id" bigint NOT NULL,
	"rule_id" bigint NOT NULL,
	CONSTRAINT "quota_group_rule_group_id_rule_id_pk" PRIMARY KEY("group_id","rule_id")
);
--> statement-breakpoint
CREATE TABLE "quota_rule" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "quota_rule_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text COLLATE "C" NOT NULL,
	"limit_bytes" bigint NOT NULL,
	"subjects" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quota_warning" (
	"owner_id" bigint PRIMARY KEY NOT NULL,
	"warned_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_day" (
	"owner_id" bigint NOT NULL,
	"day" date NOT NULL,
	"repos_public" bigint NOT NULL,
	"repos_private" bigint NOT NULL,
	"git_lfs" bigint NOT NULL,
	"attachments_issues" bigint NOT NULL,
	"attachments_releases" bigint NOT NULL,
	"artifacts" bigint NOT NULL,
	"packages" bigint NOT NULL,
	CONSTRAINT "usage_day_owner_id_day_pk" PRIMARY KEY("owner_id","day")
);
--> statement-breakpoint
CREATE TABLE "regular_task" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"runs" integer DEFAULT 0 NOT NULL,
	"previous_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "archive_download" (
	"repository_id" bigint NOT NULL,
	"tag_name" text COLLATE "C" NOT NULL,
	"zip" bigint DEFAULT 0 NOT NULL,
	"tar_gz" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "archive_download_repository_id_tag_name_pk" PRIMARY KEY("repository_id","tag_name")
);
--> statement-breakpoint
CREATE TABLE "attachment" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "attachment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"repository_id" bigint NOT NULL,
	"uploader_id" bigint,
	"release_id" bigint,
	"issue_id" bigint,
	"comment_id" bigint,
	"name" text NOT NULL,
	"sha256" "bytea",
	"external_url" text,
	"bytes" bigint NOT NULL,
	"by_guest" boolean DEFAULT false NOT NULL,
	"content_type" text NOT NULL,
	"width" integer,
	"height" integer,
	"downloads" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attachment_belongs" CHECK (num_nonnulls("attachment"."release_id", "attachment"."issue_id") < 2 and ("attachment"."comment_id" is null or "attachment"."issue_id" is not null)),
	CONSTRAINT "attachment_content" CHECK (num_nonnulls("attachment"."sha256", "attachment"."external_url") = 1)
);
--> statement-breakpoint
CREATE TABLE "release" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "release_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"tag_name" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"target" text NOT NULL,
	"draft" boolean NOT NULL,
	"prerelease" boolean NOT NULL,
	"hide_archive_links" boolean NOT NULL,
	"author_id" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "collaborator" (
	"repository_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"mode" integer NOT NULL,
	"for_transfer" boolean DEFAULT false NOT NULL,
	CONSTRAINT "collaborator_repository_id_user_id_pk" PRIMARY KEY("repository_id","user_id"),
	CONSTRAINT "collaborator_mode" CHECK ("collaborator"."mode" between 1 and 3)
);
--> statement-breakpoint
CREATE TABLE "git_store" (
	"id" bigint PRIMARY KEY NOT NULL,
	"repository_id" bigint GENERATED ALWAYS AS (abs(id)) STORED NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pack" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pack_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"checksum" text COLLATE "C" NOT NULL,
	"objects" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "ref" (
	"repository_id" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"oid" "bytea" NOT NULL,
	"peeled" "bytea",
	CONSTRAINT "ref_repository_id_name_pk" PRIMARY KEY("repository_id","name")
);
--> statement-breakpoint
CREATE TABLE "reflog" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reflog_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"old_oid" "bytea",
	"new_oid" "bytea",
	"actor_id" bigint,
	"reason" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "repository_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"lower_name" text COLLATE "C" NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"website" text DEFAULT '' NOT NULL,
	"private" boolean DEFAULT false NOT NULL,
	"template" boolean DEFAULT false NOT NULL,
	"mirror" boolean DEFAULT false NOT NULL,
	"archived_at" timestamp with time zone,
	"default_branch" text COLLATE "C" NOT NULL,
	"object_format" text DEFAULT 'sha1' NOT NULL,
	"trust_model" text DEFAULT 'default' NOT NULL,
	"fork_of" bigint,
	"original_url" text,
	"generation" bigint DEFAULT 0 NOT NULL,
	"empty" boolean DEFAULT true NOT NULL,
	"topics" text[] DEFAULT '{}' NOT NULL,
	"avatar_sha256" "bytea",
	"has_code" boolean DEFAULT true NOT NULL,
	"has_issues" boolean DEFAULT true NOT NULL,
	"has_pull_requests" boolean DEFAULT true NOT NULL,
	"has_releases" boolean DEFAULT true NOT NULL,
	"has_wiki" boolean DEFAULT true NOT NULL,
	"has_packages" boolean DEFAULT true NOT NULL,
	"has_projects" boolean DEFAULT true NOT NULL,
	"has_actions" boolean DEFAULT false NOT NULL,
	"globally_editable_wiki" boolean DEFAULT false NOT NULL,
	"wiki_branch" text DEFAULT 'main' NOT NULL,
	"enable_time_tracker" boolean DEFAULT true NOT NULL,
	"allow_only_contributors_to_track_time" boolean DEFAULT true NOT NULL,
	"enable_issue_dependencies" boolean DEFAULT true NOT NULL,
	"external_tracker_url" text,
	"external_tracker_format" text,
	"external_tracker_style" text,
	"external_tracker_pattern" text,
	"external_wiki_url" text,
	"ignore_whitespace_conflicts" boolean DEFAULT false NOT NULL,
	"allow_merge_commits" boolean DEFAULT true NOT NULL,
	"allow_rebase" boolean DEFAULT true NOT NULL,
	"allow_rebase_explicit" boolean DEFAULT true NOT NULL,
	"allow_squash_merge" boolean DEFAULT true NOT NULL,
	"allow_fast_forward_only_merge" boolean DEFAULT true NOT NULL,
	"allow_rebase_update" boolean DEFAULT true NOT NULL,
	"allow_manual_merge" boolean DEFAULT false NOT NULL,
	"autodetect_manual_merge" boolean DEFAULT false NOT NULL,
	"default_delete_branch_after_merge" boolean DEFAULT false NOT NULL,
	"default_allow_maintainer_edit" boolean DEFAULT false NOT NULL,
	"default_merge_style" text DEFAULT 'merge' NOT NULL,
	"default_update_style" text DEFAULT 'merge' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_flag" (
	"repository_id" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	CONSTRAINT "repository_flag_repository_id_name_pk" PRIMARY KEY("repository_id","name")
);
--> statement-breakpoint
CREATE TABLE "repository_languages" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"commit" "bytea" NOT NULL,
	"rules" text NOT NULL,
	"bytes" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_pack" (
	"repository_id" bigint NOT NULL,
	"pack_id" bigint NOT NULL,
	CONSTRAINT "repository_pack_repository_id_pack_id_pk" PRIMARY KEY("repository_id","pack_id")
);
--> statement-breakpoint
CREATE TABLE "repository_redirect" (
	"owner_id" bigint NOT NULL,
	"lower_name" text COLLATE "C" NOT NULL,
	"repository_id" bigint NOT NULL,
	CONSTRAINT "repository_redirect_owner_id_lower_name_pk" PRIMARY KEY("owner_id","lower_name")
);
--> statement-breakpoint
CREATE TABLE "team_repository" (
	"team_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	CONSTRAINT "team_repository_team_id_repository_id_pk" PRIMARY KEY("team_id","repository_id")
);
--> statement-breakpoint
CREATE TABLE "wiki" (
	"id" bigint PRIMARY KEY NOT NULL,
	"generation" bigint DEFAULT 0 NOT NULL,
	"empty" boolean DEFAULT true NOT NULL,
	"git_bytes" bigint DEFAULT 0 NOT NULL,
	"guest_bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "wiki_id" CHECK ("wiki"."id" < 0)
);
--> statement-breakpoint
CREATE TABLE "saved_search" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "saved_search_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"repository_id" bigint,
	"organization_id" bigint,
	"is_pull" boolean NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "secret" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "secret_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint,
	"repository_id" bigint,
	"name" text COLLATE "C" NOT NULL,
	"sealed_value" "bytea" NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "secret_name" UNIQUE NULLS NOT DISTINCT("owner_id","repository_id","name"),
	CONSTRAINT "secret_holder" CHECK (num_nonnulls("secret"."owner_id", "secret"."repository_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "server_secret" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"value" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "variable" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "variable_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint,
	"repository_id" bigint,
	"name" text COLLATE "C" NOT NULL,
	"value" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "variable_name" UNIQUE NULLS NOT DISTINCT("owner_id","repository_id","name"),
	CONSTRAINT "variable_holder" CHECK (num_nonnulls("variable"."owner_id", "variable"."repository_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "activity" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "activity_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"actor_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"repository_id" bigint NOT NULL,
	"ref_name" text COLLATE "C" DEFAULT '' NOT NULL,
	"content" text DEFAULT '' NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "block" (
	"blocker_id" bigint NOT NULL,
	"blocked_id" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "block_blocker_id_blocked_id_pk" PRIMARY KEY("blocker_id","blocked_id")
);
--> statement-breakpoint
CREATE TABLE "follow" (
	"follower_id" bigint NOT NULL,
	"followed_id" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "follow_follower_id_followed_id_pk" PRIMARY KEY("follower_id","followed_id"),
	CONSTRAINT "follow_other" CHECK ("follow"."follower_id" <> "follow"."followed_id")
);
--> statement-breakpoint
CREATE TABLE "star" (
	"user_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "star_user_id_repository_id_pk" PRIMARY KEY("user_id","repository_id")
);
--> statement-breakpoint
CREATE TABLE "watch" (
	"user_id" bigint NOT NULL,
	"repository_id" bigint NOT NULL,
	"issues" boolean DEFAULT true NOT NULL,
	"pulls" boolean DEFAULT true NOT NULL,
	"releases" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "watch_user_id_repository_id_pk" PRIMARY KEY("user_id","repository_id")
);
--> statement-breakpoint
CREATE TABLE "commit_status" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "commit_status_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"oid" "bytea" NOT NULL,
	"index" integer NOT NULL,
	"context" text COLLATE "C" NOT NULL,
	"state" text NOT NULL,
	"description" text NOT NULL,
	"target_url" text NOT NULL,
	"creator_id" bigint,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "commit_status_total" (
	"repository_id" bigint NOT NULL,
	"oid" "bytea" NOT NULL,
	"state" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "commit_status_total_repository_id_oid_state_pk" PRIMARY KEY("repository_id","oid","state"),
	CONSTRAINT "commit_status_total_count" CHECK ("commit_status_total"."count" > 0)
);
--> statement-breakpoint
CREATE TABLE "latest_commit_status" (
	"repository_id" bigint NOT NULL,
	"oid" "bytea" NOT NULL,
	"context" text COLLATE "C" NOT NULL,
	"index" integer NOT NULL,
	"state" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "latest_commit_status_repository_id_oid_context_pk" PRIMARY KEY("repository_id","oid","context")
);
--> statement-breakpoint
CREATE TABLE "stopwatch" (
	"user_id" bigint NOT NULL,
	"issue_id" bigint NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stopwatch_user_id_pk" PRIMARY KEY("user_id")
);
--> statement-breakpoint
CREATE TABLE "tracked_time" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tracked_time_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"repository_id" bigint NOT NULL,
	"issue_id" bigint NOT NULL,
	"user_id" bigint,
	"seconds" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tracked_time_seconds" CHECK ("tracked_time"."seconds" > 0)
);
--> statement-breakpoint
CREATE TABLE "repository_transfer" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"doer_id" bigint NOT NULL,
	"recipient_id" bigint NOT NULL,
	"team_ids" bigint[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_sha256_blob_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."blob"("sha256") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_uploader_id_account_owner_id_fk" FOREIGN KEY ("uploader_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blob_reference" ADD CONSTRAINT "blob_reference_sha256_blob_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."blob"("sha256") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_author_id_account_owner_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_label_id_label_id_fk" FOREIGN KEY ("label_id") REFERENCES "public"."label"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_milestone_id_milestone_id_fk" FOREIGN KEY ("milestone_id") REFERENCES "public"."milestone"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_old_milestone_id_milestone_id_fk" FOREIGN KEY ("old_milestone_id") REFERENCES "public"."milestone"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_assignee_id_account_owner_id_fk" FOREIGN KEY ("assignee_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_assignee_team_id_team_id_fk" FOREIGN KEY ("assignee_team_id") REFERENCES "public"."team"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_review_id_review_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."review"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_other_issue_id_issue_id_fk" FOREIGN KEY ("other_issue_id") REFERENCES "public"."issue"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_other_comment_id_comment_id_fk" FOREIGN KEY ("other_comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_other_repository_id_repository_id_fk" FOREIGN KEY ("other_repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comment" ADD CONSTRAINT "comment_tracked_time_id_tracked_time_id_fk" FOREIGN KEY ("tracked_time_id") REFERENCES "public"."tracked_time"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_content" ADD CONSTRAINT "former_content_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_content" ADD CONSTRAINT "former_content_comment_id_comment_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_content" ADD CONSTRAINT "former_content_editor_id_account_owner_id_fk" FOREIGN KEY ("editor_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reaction" ADD CONSTRAINT "reaction_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reaction" ADD CONSTRAINT "reaction_comment_id_comment_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reaction" ADD CONSTRAINT "reaction_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_comment" ADD CONSTRAINT "review_comment_comment_id_comment_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_comment" ADD CONSTRAINT "review_comment_resolver_id_account_owner_id_fk" FOREIGN KEY ("resolver_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_comment" ADD CONSTRAINT "review_comment_reply_to_review_comment_comment_id_fk" FOREIGN KEY ("reply_to") REFERENCES "public"."review_comment"("comment_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_token_repository" ADD CONSTRAINT "access_token_repository_token_id_access_token_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."access_token"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_token_repository" ADD CONSTRAINT "access_token_repository_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_address" ADD CONSTRAINT "email_address_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gpg_key" ADD CONSTRAINT "gpg_key_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_token" ADD CONSTRAINT "mail_token_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_token" ADD CONSTRAINT "mail_token_email_id_email_address_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."email_address"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "two_factor" ADD CONSTRAINT "two_factor_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hook_delivery" ADD CONSTRAINT "hook_delivery_hook_id_hook_id_fk" FOREIGN KEY ("hook_id") REFERENCES "public"."hook"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hook_delivery" ADD CONSTRAINT "hook_delivery_event_id_hook_event_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."hook_event"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_author_id_account_owner_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_closed_by_id_account_owner_id_fk" FOREIGN KEY ("closed_by_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue" ADD CONSTRAINT "issue_milestone_id_milestone_id_fk" FOREIGN KEY ("milestone_id") REFERENCES "public"."milestone"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_assignee" ADD CONSTRAINT "issue_assignee_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_assignee" ADD CONSTRAINT "issue_assignee_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_dependency" ADD CONSTRAINT "issue_dependency_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_dependency" ADD CONSTRAINT "issue_dependency_depends_on_id_issue_id_fk" FOREIGN KEY ("depends_on_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_label" ADD CONSTRAINT "issue_label_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_label" ADD CONSTRAINT "issue_label_label_id_label_id_fk" FOREIGN KEY ("label_id") REFERENCES "public"."label"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_mention" ADD CONSTRAINT "issue_mention_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_mention" ADD CONSTRAINT "issue_mention_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_redirect" ADD CONSTRAINT "issue_redirect_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_redirect" ADD CONSTRAINT "issue_redirect_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_sequence" ADD CONSTRAINT "issue_sequence_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_subscription" ADD CONSTRAINT "issue_subscription_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issue_subscription" ADD CONSTRAINT "issue_subscription_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "label" ADD CONSTRAINT "label_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "label" ADD CONSTRAINT "label_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "milestone" ADD CONSTRAINT "milestone_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deploy_key" ADD CONSTRAINT "deploy_key_key_id_ssh_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."ssh_key"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deploy_key" ADD CONSTRAINT "deploy_key_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ssh_key" ADD CONSTRAINT "ssh_key_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lfs_lock" ADD CONSTRAINT "lfs_lock_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lfs_lock" ADD CONSTRAINT "lfs_lock_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_mirror" ADD CONSTRAINT "pull_mirror_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "push_mirror" ADD CONSTRAINT "push_mirror_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_migration" ADD CONSTRAINT "repository_migration_actor_id_account_owner_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_migration" ADD CONSTRAINT "repository_migration_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification" ADD CONSTRAINT "notification_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification" ADD CONSTRAINT "notification_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification" ADD CONSTRAINT "notification_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_token" ADD CONSTRAINT "oauth_access_token_token_id_access_token_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."access_token"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_token" ADD CONSTRAINT "oauth_access_token_grant_id_oauth_grant_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."oauth_grant"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_application" ADD CONSTRAINT "oauth_application_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_code" ADD CONSTRAINT "oauth_code_grant_id_oauth_grant_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."oauth_grant"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_grant" ADD CONSTRAINT "oauth_grant_application_id_oauth_application_id_fk" FOREIGN KEY ("application_id") REFERENCES "public"."oauth_application"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_grant" ADD CONSTRAINT "oauth_grant_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_refresh_token" ADD CONSTRAINT "oauth_refresh_token_grant_id_oauth_grant_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."oauth_grant"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_token" ADD CONSTRAINT "access_token_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account" ADD CONSTRAINT "account_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "owner" ADD CONSTRAINT "owner_avatar_sha256_blob_sha256_fk" FOREIGN KEY ("avatar_sha256") REFERENCES "public"."blob"("sha256") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "owner_redirect" ADD CONSTRAINT "owner_redirect_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "public_member" ADD CONSTRAINT "public_member_organization_id_owner_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "public_member" ADD CONSTRAINT "public_member_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team" ADD CONSTRAINT "team_organization_id_owner_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_unit" ADD CONSTRAINT "team_unit_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_cleanup_rule" ADD CONSTRAINT "package_cleanup_rule_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_download" ADD CONSTRAINT "package_download_version_id_package_version_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."package_version"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_download_day" ADD CONSTRAINT "package_download_day_version_id_package_version_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."package_version"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_file" ADD CONSTRAINT "package_file_version_id_package_version_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."package_version"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_index" ADD CONSTRAINT "package_index_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_index_file" ADD CONSTRAINT "package_index_file_index_id_package_index_id_fk" FOREIGN KEY ("index_id") REFERENCES "public"."package_index"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_key" ADD CONSTRAINT "package_key_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_stanza" ADD CONSTRAINT "package_stanza_file_id_package_file_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."package_file"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_version" ADD CONSTRAINT "package_version_package_id_package_id_fk" FOREIGN KEY ("package_id") REFERENCES "public"."package"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package_version" ADD CONSTRAINT "package_version_creator_id_account_owner_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package" ADD CONSTRAINT "package_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "package" ADD CONSTRAINT "package_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection" ADD CONSTRAINT "branch_protection_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection_team" ADD CONSTRAINT "branch_protection_team_protection_id_branch_protection_id_fk" FOREIGN KEY ("protection_id") REFERENCES "public"."branch_protection"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection_team" ADD CONSTRAINT "branch_protection_team_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection_user" ADD CONSTRAINT "branch_protection_user_protection_id_branch_protection_id_fk" FOREIGN KEY ("protection_id") REFERENCES "public"."branch_protection"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branch_protection_user" ADD CONSTRAINT "branch_protection_user_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection" ADD CONSTRAINT "tag_protection_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection_team" ADD CONSTRAINT "tag_protection_team_protection_id_tag_protection_id_fk" FOREIGN KEY ("protection_id") REFERENCES "public"."tag_protection"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection_team" ADD CONSTRAINT "tag_protection_team_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection_user" ADD CONSTRAINT "tag_protection_user_protection_id_tag_protection_id_fk" FOREIGN KEY ("protection_id") REFERENCES "public"."tag_protection"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_protection_user" ADD CONSTRAINT "tag_protection_user_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_base_repository_id_repository_id_fk" FOREIGN KEY ("base_repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_head_repository_id_repository_id_fk" FOREIGN KEY ("head_repository_id") REFERENCES "public"."repository"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_maintainer_edit_by_id_account_owner_id_fk" FOREIGN KEY ("maintainer_edit_by_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_merged_by_id_account_owner_id_fk" FOREIGN KEY ("merged_by_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_auto_merge" ADD CONSTRAINT "pull_auto_merge_pull_id_pull_issue_id_fk" FOREIGN KEY ("pull_id") REFERENCES "public"."pull"("issue_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_auto_merge" ADD CONSTRAINT "pull_auto_merge_doer_id_account_owner_id_fk" FOREIGN KEY ("doer_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review" ADD CONSTRAINT "review_pull_id_pull_issue_id_fk" FOREIGN KEY ("pull_id") REFERENCES "public"."pull"("issue_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review" ADD CONSTRAINT "review_reviewer_id_account_owner_id_fk" FOREIGN KEY ("reviewer_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review" ADD CONSTRAINT "review_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review" ADD CONSTRAINT "review_asked_by_id_account_owner_id_fk" FOREIGN KEY ("asked_by_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "viewed_file" ADD CONSTRAINT "viewed_file_pull_id_pull_issue_id_fk" FOREIGN KEY ("pull_id") REFERENCES "public"."pull"("issue_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "viewed_file" ADD CONSTRAINT "viewed_file_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_bytes" ADD CONSTRAINT "pull_bytes_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pull_object" ADD CONSTRAINT "pull_object_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_group_owner" ADD CONSTRAINT "quota_group_owner_group_id_quota_group_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."quota_group"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_group_owner" ADD CONSTRAINT "quota_group_owner_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_group_rule" ADD CONSTRAINT "quota_group_rule_group_id_quota_group_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."quota_group"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_group_rule" ADD CONSTRAINT "quota_group_rule_rule_id_quota_rule_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."quota_rule"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quota_warning" ADD CONSTRAINT "quota_warning_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_day" ADD CONSTRAINT "usage_day_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "archive_download" ADD CONSTRAINT "archive_download_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_uploader_id_account_owner_id_fk" FOREIGN KEY ("uploader_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_release_id_release_id_fk" FOREIGN KEY ("release_id") REFERENCES "public"."release"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_comment_id_comment_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comment"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release" ADD CONSTRAINT "release_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release" ADD CONSTRAINT "release_author_id_account_owner_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collaborator" ADD CONSTRAINT "collaborator_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collaborator" ADD CONSTRAINT "collaborator_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_store" ADD CONSTRAINT "git_store_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reflog" ADD CONSTRAINT "reflog_repository_id_git_store_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."git_store"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reflog" ADD CONSTRAINT "reflog_actor_id_owner_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."owner"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository" ADD CONSTRAINT "repository_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository" ADD CONSTRAINT "repository_fork_of_repository_id_fk" FOREIGN KEY ("fork_of") REFERENCES "public"."repository"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_flag" ADD CONSTRAINT "repository_flag_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_languages" ADD CONSTRAINT "repository_languages_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_pack" ADD CONSTRAINT "repository_pack_repository_id_git_store_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."git_store"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_pack" ADD CONSTRAINT "repository_pack_pack_id_pack_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."pack"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_redirect" ADD CONSTRAINT "repository_redirect_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_redirect" ADD CONSTRAINT "repository_redirect_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_repository" ADD CONSTRAINT "team_repository_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_repository" ADD CONSTRAINT "team_repository_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wiki" ADD CONSTRAINT "wiki_id_git_store_id_fk" FOREIGN KEY ("id") REFERENCES "public"."git_store"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_search" ADD CONSTRAINT "saved_search_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_search" ADD CONSTRAINT "saved_search_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_search" ADD CONSTRAINT "saved_search_organization_id_owner_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secret" ADD CONSTRAINT "secret_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secret" ADD CONSTRAINT "secret_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable" ADD CONSTRAINT "variable_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variable" ADD CONSTRAINT "variable_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity" ADD CONSTRAINT "activity_actor_id_owner_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activity" ADD CONSTRAINT "activity_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "block" ADD CONSTRAINT "block_blocker_id_owner_id_fk" FOREIGN KEY ("blocker_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "block" ADD CONSTRAINT "block_blocked_id_account_owner_id_fk" FOREIGN KEY ("blocked_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "follow" ADD CONSTRAINT "follow_follower_id_account_owner_id_fk" FOREIGN KEY ("follower_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "follow" ADD CONSTRAINT "follow_followed_id_account_owner_id_fk" FOREIGN KEY ("followed_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "star" ADD CONSTRAINT "star_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "star" ADD CONSTRAINT "star_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watch" ADD CONSTRAINT "watch_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watch" ADD CONSTRAINT "watch_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commit_status" ADD CONSTRAINT "commit_status_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commit_status" ADD CONSTRAINT "commit_status_creator_id_owner_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."owner"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commit_status_total" ADD CONSTRAINT "commit_status_total_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "latest_commit_status" ADD CONSTRAINT "latest_commit_status_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stopwatch" ADD CONSTRAINT "stopwatch_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stopwatch" ADD CONSTRAINT "stopwatch_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracked_time" ADD CONSTRAINT "tracked_time_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracked_time" ADD CONSTRAINT "tracked_time_issue_id_issue_id_fk" FOREIGN KEY ("issue_id") REFERENCES "public"."issue"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tracked_time" ADD CONSTRAINT "tracked_time_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_transfer" ADD CONSTRAINT "repository_transfer_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_transfer" ADD CONSTRAINT "repository_transfer_doer_id_account_owner_id_fk" FOREIGN KEY ("doer_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_transfer" ADD CONSTRAINT "repository_transfer_recipient_id_owner_id_fk" FOREIGN KEY ("recipient_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "artifact_name" ON "artifact" USING btree ("repository_id","run_number","name");--> statement-breakpoint
CREATE INDEX "artifact_repository" ON "artifact" USING btree ("repository_id","id");--> statement-breakpoint
CREATE INDEX "artifact_sha256" ON "artifact" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "artifact_uploader" ON "artifact" USING btree ("uploader_id");--> statement-breakpoint
CREATE INDEX "blob_retired" ON "blob" USING btree ("retired_at") WHERE "blob"."retired_at" is not null;--> statement-breakpoint
CREATE INDEX "blob_reference_sha256" ON "blob_reference" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "blob_reference_guests" ON "blob_reference" USING btree ("kind","subject_id") WHERE "blob_reference"."by_guest";--> statement-breakpoint
CREATE INDEX "blob_reference_owner" ON "blob_reference" USING btree ("owner_id","kind");--> statement-breakpoint
CREATE INDEX "blob_reference_attachments" ON "blob_reference" USING btree ("owner_id","bytes" DESC NULLS LAST,"subject_id") WHERE "blob_reference"."kind" in ('release-attachment', 'issue-attachment');--> statement-breakpoint
CREATE INDEX "comment_issue" ON "comment" USING btree ("issue_id","created_at","id");--> statement-breakpoint
CREATE INDEX "comment_repository" ON "comment" USING btree ("repository_id","created_at","id") WHERE "comment"."kind" = 'comment';--> statement-breakpoint
CREATE INDEX "comment_words" ON "comment" USING gin (comment_words("repository_id", "body")) WHERE "comment"."kind" in ('comment', 'code', 'review') and not "comment"."pending" and "comment"."body" <> '';--> statement-breakpoint
CREATE INDEX "comment_author" ON "comment" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "comment_label" ON "comment" USING btree ("label_id") WHERE "comment"."label_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_milestone" ON "comment" USING btree ("milestone_id") WHERE "comment"."milestone_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_old_milestone" ON "comment" USING btree ("old_milestone_id") WHERE "comment"."old_milestone_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_assignee" ON "comment" USING btree ("assignee_id") WHERE "comment"."assignee_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_assignee_team" ON "comment" USING btree ("assignee_team_id") WHERE "comment"."assignee_team_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_review" ON "comment" USING btree ("review_id","id") WHERE "comment"."review_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_other_issue" ON "comment" USING btree ("other_issue_id") WHERE "comment"."other_issue_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_other_comment" ON "comment" USING btree ("other_comment_id") WHERE "comment"."other_comment_id" is not null;--> statement-breakpoint
CREATE INDEX "comment_other_repository" ON "comment" USING btree ("other_repository_id") WHERE "comment"."other_repository_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "comment_reference" ON "comment" USING btree ("issue_id","ref_key") WHERE "comment"."ref_key" is not null;--> statement-breakpoint
CREATE INDEX "comment_tracked_time" ON "comment" USING btree ("tracked_time_id") WHERE "comment"."tracked_time_id" is not null;--> statement-breakpoint
CREATE INDEX "former_content_of" ON "former_content" USING btree ("issue_id","comment_id","id");--> statement-breakpoint
CREATE INDEX "former_content_comment" ON "former_content" USING btree ("comment_id");--> statement-breakpoint
CREATE INDEX "former_content_editor" ON "former_content" USING btree ("editor_id");--> statement-breakpoint
CREATE UNIQUE INDEX "reaction_once" ON "reaction" USING btree ("issue_id",coalesce("comment_id", 0),"user_id","content");--> statement-breakpoint
CREATE INDEX "reaction_comment" ON "reaction" USING btree ("comment_id");--> statement-breakpoint
CREATE INDEX "reaction_user" ON "reaction" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "review_comment_resolver" ON "review_comment" USING btree ("resolver_id") WHERE "review_comment"."resolver_id" is not null;--> statement-breakpoint
CREATE INDEX "review_comment_reply" ON "review_comment" USING btree ("reply_to") WHERE "review_comment"."reply_to" is not null;--> statement-breakpoint
CREATE INDEX "access_token_repository_repository" ON "access_token_repository" USING btree ("repository_id");--> statement-breakpoint
CREATE UNIQUE INDEX "email_address_user_email" ON "email_address" USING btree ("user_id","lower_email");--> statement-breakpoint
CREATE UNIQUE INDEX "email_address_verified" ON "email_address" USING btree ("lower_email") WHERE "email_address"."verified";--> statement-breakpoint
CREATE UNIQUE INDEX "email_address_primary" ON "email_address" USING btree ("user_id") WHERE "email_address"."primary";--> statement-breakpoint
CREATE INDEX "email_address_email" ON "email_address" USING btree ("lower_email");--> statement-breakpoint
CREATE UNIQUE INDEX "gpg_key_fingerprint" ON "gpg_key" USING btree ("fingerprint");--> statement-breakpoint
CREATE INDEX "gpg_key_user" ON "gpg_key" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "gpg_key_key_id" ON "gpg_key" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "gpg_key_subkey_ids" ON "gpg_key" USING gin ("subkey_ids");--> statement-breakpoint
CREATE INDEX "mail_token_user" ON "mail_token" USING btree ("user_id","purpose");--> statement-breakpoint
CREATE UNIQUE INDEX "session_hash" ON "session" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "session_user" ON "session" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "session_expires" ON "session" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "hook_repository" ON "hook" USING btree ("repository_id","id");--> statement-breakpoint
CREATE INDEX "hook_owner" ON "hook" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "hook_instance" ON "hook" USING btree ("id") WHERE "hook"."repository_id" is null and "hook"."owner_id" is null;--> statement-breakpoint
CREATE INDEX "hook_next" ON "hook" USING btree ("next_at") WHERE "hook"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "hook_delivery_hook" ON "hook_delivery" USING btree ("hook_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "hook_delivery_waiting" ON "hook_delivery" USING btree ("hook_id","id") WHERE "hook_delivery"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "hook_delivery_event" ON "hook_delivery" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "hook_delivery_done" ON "hook_delivery" USING btree ("created_at") WHERE "hook_delivery"."state" <> 'waiting';--> statement-breakpoint
CREATE INDEX "hook_event_unmade" ON "hook_event" USING btree ("owner_id","id") WHERE "hook_event"."make_at" is not null;--> statement-breakpoint
CREATE INDEX "hook_event_failed" ON "hook_event" USING btree ("id") WHERE "hook_event"."make_at" is null and "hook_event"."source" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "issue_number" ON "issue" USING btree ("repository_id","number");--> statement-breakpoint
CREATE INDEX "issue_created" ON "issue" USING btree ("repository_id","is_pull",("closed_at" is null),"created_at","id");--> statement-breakpoint
CREATE INDEX "issue_updated" ON "issue" USING btree ("repository_id","is_pull",("closed_at" is null),"updated_at","id");--> statement-breakpoint
CREATE INDEX "issue_comments" ON "issue" USING btree ("repository_id","is_pull",("closed_at" is null),"comments","id");--> statement-breakpoint
CREATE INDEX "issue_due" ON "issue" USING btree ("repository_id","is_pull",("closed_at" is null),"due_at","id");--> statement-breakpoint
CREATE INDEX "issue_recent" ON "issue" USING btree ("is_pull",("closed_at" is null),"created_at","id");--> statement-breakpoint
CREATE INDEX "issue_author" ON "issue" USING btree ("author_id","created_at");--> statement-breakpoint
CREATE INDEX "issue_closed_by" ON "issue" USING btree ("closed_by_id") WHERE "issue"."closed_by_id" is not null;--> statement-breakpoint
CREATE INDEX "issue_milestone" ON "issue" USING btree ("milestone_id");--> statement-breakpoint
CREATE UNIQUE INDEX "issue_pin" ON "issue" USING btree ("repository_id","is_pull","pin_order") WHERE "issue"."pin_order" is not null;--> statement-breakpoint
CREATE INDEX "issue_words" ON "issue" USING gin ("words");--> statement-breakpoint
CREATE INDEX "issue_assignee_user" ON "issue_assignee" USING btree ("user_id","issue_id");--> statement-breakpoint
CREATE INDEX "issue_dependency_on" ON "issue_dependency" USING btree ("depends_on_id","issue_id");--> statement-breakpoint
CREATE INDEX "issue_label_listed" ON "issue_label" USING btree ("label_id","repository_id","is_pull","is_open","created_at","issue_id");--> statement-breakpoint
CREATE INDEX "issue_mention_user" ON "issue_mention" USING btree ("user_id","issue_id");--> statement-breakpoint
CREATE INDEX "issue_redirect_issue" ON "issue_redirect" USING btree ("issue_id");--> statement-breakpoint
CREATE INDEX "issue_subscription_user" ON "issue_subscription" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "label_repository" ON "label" USING btree ("repository_id","name","id");--> statement-breakpoint
CREATE INDEX "label_owner" ON "label" USING btree ("owner_id","name","id");--> statement-breakpoint
CREATE INDEX "milestone_due" ON "milestone" USING btree ("repository_id","due_at","id");--> statement-breakpoint
CREATE INDEX "milestone_title" ON "milestone" USING btree ("repository_id",lower("title"));--> statement-breakpoint
CREATE UNIQUE INDEX "job_key" ON "job" USING btree ("kind","key") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "job_due" ON "job" USING btree ("kind","principal","run_at","id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "job_running" ON "job" USING btree ("kind","principal") WHERE state = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "deploy_key_repository_key" ON "deploy_key" USING btree ("repository_id","key_id");--> statement-breakpoint
CREATE UNIQUE INDEX "deploy_key_repository_title" ON "deploy_key" USING btree ("repository_id","title");--> statement-breakpoint
CREATE INDEX "deploy_key_key" ON "deploy_key" USING btree ("key_id");--> statement-breakpoint
CREATE UNIQUE INDEX "ssh_key_fingerprint" ON "ssh_key" USING btree ("fingerprint");--> statement-breakpoint
CREATE UNIQUE INDEX "ssh_key_user_title" ON "ssh_key" USING btree ("user_id","title");--> statement-breakpoint
CREATE INDEX "ssh_key_user" ON "ssh_key" USING btree ("user_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "lfs_lock_path" ON "lfs_lock" USING btree ("repository_id","path");--> statement-breakpoint
CREATE INDEX "lfs_lock_user" ON "lfs_lock" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "list_total_key" ON "list_total" USING btree ("list","owner_id","class");--> statement-breakpoint
CREATE INDEX "repository_count_stars" ON "repository_count" USING btree ("class","stars","repository_id");--> statement-breakpoint
CREATE INDEX "repository_count_language" ON "repository_count" USING btree ("language","class");--> statement-breakpoint
CREATE INDEX "repository_count_forks" ON "repository_count" USING btree ("class","forks","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_id" ON "repository_listing" USING btree ("class","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_full_name" ON "repository_listing" USING btree ("class","owner_name","name","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_name" ON "repository_listing" USING btree ("class","name","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_created" ON "repository_listing" USING btree ("class","created_at","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_owner_id" ON "repository_listing" USING btree ("owner_id","class","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_owner_name" ON "repository_listing" USING btree ("owner_id","class","name","repository_id");--> statement-breakpoint
CREATE INDEX "repository_listing_words" ON "repository_listing" USING gin (text_grams(list_words("owner_name", "name", "topics"))) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "repository_listing_owner_topics" ON "repository_listing" USING btree ("owner_id","class") WHERE "repository_listing"."topics" <> '{}';--> statement-breakpoint
CREATE INDEX "repository_listing_topics" ON "repository_listing" USING gin ("topics") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "repository_listing_description" ON "repository_listing" USING gin (text_grams("description")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "repository_size_bytes" ON "repository_size" USING btree ("class","bytes","repository_id");--> statement-breakpoint
CREATE INDEX "repository_size_git" ON "repository_size" USING btree ("class","git_bytes","repository_id");--> statement-breakpoint
CREATE INDEX "repository_size_lfs" ON "repository_size" USING btree ("class","lfs_bytes","repository_id");--> statement-breakpoint
CREATE INDEX "repository_size_updated" ON "repository_size" USING btree ("class","updated_at","repository_id");--> statement-breakpoint
CREATE UNIQUE INDEX "topic_name" ON "topic" USING btree ("name");--> statement-breakpoint
CREATE INDEX "topic_open_to_all" ON "topic" USING btree ("open_to_all" DESC NULLS LAST,"name");--> statement-breakpoint
CREATE INDEX "topic_open_to_users" ON "topic" USING btree ("open_to_users" DESC NULLS LAST,"name");--> statement-breakpoint
CREATE INDEX "topic_repositories" ON "topic" USING btree ("repositories" DESC NULLS LAST,"name");--> statement-breakpoint
CREATE INDEX "topic_words" ON "topic" USING gin (text_grams("name")) WITH (fastupdate=false);--> statement-breakpoint
CREATE UNIQUE INDEX "push_mirror_name" ON "push_mirror" USING btree ("repository_id","name");--> statement-breakpoint
CREATE INDEX "repository_migration_actor" ON "repository_migration" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "repository_migration_repository" ON "repository_migration" USING btree ("repository_id");--> statement-breakpoint
CREATE UNIQUE INDEX "notification_once" ON "notification" USING btree ("user_id","repository_id",coalesce("issue_id", 0));--> statement-breakpoint
CREATE INDEX "notification_listed" ON "notification" USING btree ("user_id","updated_at","id") WHERE "notification"."status" <> 'read';--> statement-breakpoint
CREATE INDEX "notification_counted" ON "notification" USING btree ("user_id","repository_id","subject","status","reason","snoozed_until") WHERE "notification"."status" <> 'read';--> statement-breakpoint
CREATE INDEX "notification_user" ON "notification" USING btree ("user_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "notification_of_repository" ON "notification" USING btree ("user_id","repository_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "notification_read" ON "notification" USING btree ("updated_at") WHERE "notification"."status" = 'read';--> statement-breakpoint
CREATE INDEX "notification_issue" ON "notification" USING btree ("issue_id");--> statement-breakpoint
CREATE INDEX "notification_repository" ON "notification" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "oauth_access_token_grant" ON "oauth_access_token" USING btree ("grant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_application_client_id" ON "oauth_application" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "oauth_application_user" ON "oauth_application" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "oauth_code_grant" ON "oauth_code" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "oauth_code_expires" ON "oauth_code" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_grant_application_user" ON "oauth_grant" USING btree ("application_id","user_id");--> statement-breakpoint
CREATE INDEX "oauth_grant_user" ON "oauth_grant" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_token_grant" ON "oauth_refresh_token" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_token_expires" ON "oauth_refresh_token" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "outbox_transaction" ON "outbox" USING btree ("transaction");--> statement-breakpoint
CREATE UNIQUE INDEX "access_token_hash" ON "access_token" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "access_token_user_name" ON "access_token" USING btree ("user_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "owner_lower_name" ON "owner" USING btree ("lower_name");--> statement-breakpoint
CREATE INDEX "owner_listed" ON "owner" USING btree ("kind","visibility","lower_name");--> statement-breakpoint
CREATE INDEX "owner_name" ON "owner" USING btree ("kind","lower_name");--> statement-breakpoint
CREATE INDEX "owner_created" ON "owner" USING btree ("kind","created_at","id");--> statement-breakpoint
CREATE INDEX "owner_updated" ON "owner" USING btree ("kind","updated_at","id");--> statement-breakpoint
CREATE INDEX "owner_words" ON "owner" USING gin (text_grams("lower_name" || E'\n' || lower("full_name"))) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "owner_avatar" ON "owner" USING btree ("avatar_sha256") WHERE "owner"."avatar_sha256" is not null;--> statement-breakpoint
CREATE INDEX "owner_redirect_owner" ON "owner_redirect" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "public_member_user" ON "public_member" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "team_organization_name" ON "team" USING btree ("organization_id","lower_name");--> statement-breakpoint
CREATE INDEX "team_member_user" ON "team_member" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "package_cleanup_rule_owner" ON "package_cleanup_rule" USING btree ("owner_id","type");--> statement-breakpoint
CREATE INDEX "package_download_day_day" ON "package_download_day" USING btree ("day");--> statement-breakpoint
CREATE UNIQUE INDEX "package_file_name" ON "package_file" USING btree ("version_id","lower_name","place");--> statement-breakpoint
CREATE UNIQUE INDEX "package_index_name" ON "package_index" USING btree ("owner_id","type","name");--> statement-breakpoint
CREATE INDEX "package_index_unbuilt" ON "package_index" USING btree ("id") WHERE "package_index"."built" < "package_index"."wanted";--> statement-breakpoint
CREATE UNIQUE INDEX "package_index_file_path" ON "package_index_file" USING btree ("index_id","audience","path","generation");--> statement-breakpoint
CREATE INDEX "package_index_file_sha256" ON "package_index_file" USING btree ("index_id","sha256");--> statement-breakpoint
CREATE INDEX "package_stanza_order" ON "package_stanza" USING btree ("owner_id","type","index_name","part","sort","file_id");--> statement-breakpoint
CREATE UNIQUE INDEX "package_version_name" ON "package_version" USING btree ("package_id","lower_version");--> statement-breakpoint
CREATE INDEX "package_version_newest" ON "package_version" USING btree ("package_id","id");--> statement-breakpoint
CREATE INDEX "package_version_owner" ON "package_version" USING btree ("owner_id","id");--> statement-breakpoint
CREATE INDEX "package_version_creator" ON "package_version" USING btree ("creator_id");--> statement-breakpoint
CREATE UNIQUE INDEX "package_name" ON "package" USING btree ("owner_id","type","lower_name");--> statement-breakpoint
CREATE INDEX "package_repository" ON "package" USING btree ("repository_id");--> statement-breakpoint
CREATE UNIQUE INDEX "branch_protection_name" ON "branch_protection" USING btree ("repository_id","rule_name");--> statement-breakpoint
CREATE INDEX "branch_protection_team_team" ON "branch_protection_team" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "branch_protection_user_user" ON "branch_protection_user" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tag_protection_name" ON "tag_protection" USING btree ("repository_id","name_pattern");--> statement-breakpoint
CREATE INDEX "tag_protection_team_team" ON "tag_protection_team" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "tag_protection_user_user" ON "tag_protection_user" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "pull_open" ON "pull" USING btree ("base_repository_id","base_branch","head_repository_id","head_branch","flow") WHERE "pull"."open";--> statement-breakpoint
CREATE INDEX "pull_base" ON "pull" USING btree ("base_repository_id","base_branch","issue_id");--> statement-breakpoint
CREATE INDEX "pull_head" ON "pull" USING btree ("head_repository_id","head_branch","issue_id");--> statement-breakpoint
CREATE INDEX "pull_head_oid" ON "pull" USING btree ("base_repository_id","head_oid") WHERE "pull"."open";--> statement-breakpoint
CREATE INDEX "pull_merge_commit" ON "pull" USING btree ("base_repository_id","merge_commit_oid") WHERE "pull"."merge_commit_oid" is not null;--> statement-breakpoint
CREATE INDEX "pull_merged_by" ON "pull" USING btree ("merged_by_id") WHERE "pull"."merged_by_id" is not null;--> statement-breakpoint
CREATE INDEX "pull_maintainer_edit_by" ON "pull" USING btree ("maintainer_edit_by_id") WHERE "pull"."maintainer_edit_by_id" is not null;--> statement-breakpoint
CREATE INDEX "pull_auto_merge_doer" ON "pull_auto_merge" USING btree ("doer_id");--> statement-breakpoint
CREATE INDEX "review_pull" ON "review" USING btree ("pull_id","id");--> statement-breakpoint
CREATE INDEX "review_reviewer" ON "review" USING btree ("reviewer_id","kind","pull_id");--> statement-breakpoint
CREATE INDEX "review_team" ON "review" USING btree ("team_id","pull_id") WHERE "review"."team_id" is not null;--> statement-breakpoint
CREATE INDEX "review_asked_by" ON "review" USING btree ("asked_by_id") WHERE "review"."asked_by_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "review_pending" ON "review" USING btree ("pull_id","reviewer_id") WHERE "review"."kind" = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "review_requested" ON "review" USING btree ("pull_id","reviewer_id") WHERE "review"."kind" = 'request' and "review"."reviewer_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "review_requested_team" ON "review" USING btree ("pull_id","team_id") WHERE "review"."kind" = 'request' and "review"."team_id" is not null;--> statement-breakpoint
CREATE INDEX "viewed_file_user" ON "viewed_file" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "quota_group_name" ON "quota_group" USING btree ("name");--> statement-breakpoint
CREATE INDEX "quota_group_owner_group" ON "quota_group_owner" USING btree ("group_id","owner_id");--> statement-breakpoint
CREATE INDEX "quota_group_rule_rule" ON "quota_group_rule" USING btree ("rule_id");--> statement-breakpoint
CREATE UNIQUE INDEX "quota_rule_name" ON "quota_rule" USING btree ("name");--> statement-breakpoint
CREATE INDEX "usage_day_day" ON "usage_day" USING btree ("day");--> statement-breakpoint
CREATE UNIQUE INDEX "attachment_uuid" ON "attachment" USING btree ("uuid");--> statement-breakpoint
CREATE INDEX "attachment_repository" ON "attachment" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "attachment_release" ON "attachment" USING btree ("release_id","id");--> statement-breakpoint
CREATE INDEX "attachment_uploader" ON "attachment" USING btree ("uploader_id");--> statement-breakpoint
CREATE INDEX "attachment_issue" ON "attachment" USING btree ("issue_id","id") WHERE "attachment"."issue_id" is not null;--> statement-breakpoint
CREATE INDEX "attachment_comment" ON "attachment" USING btree ("comment_id","id") WHERE "attachment"."comment_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "release_tag" ON "release" USING btree ("repository_id","tag_name");--> statement-breakpoint
CREATE INDEX "release_published" ON "release" USING btree ("repository_id","published_at","id");--> statement-breakpoint
CREATE INDEX "release_latest" ON "release" USING btree ("repository_id","published_at","id") WHERE not "release"."draft" and not "release"."prerelease";--> statement-breakpoint
CREATE INDEX "release_author" ON "release" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "release_stage" ON "release" USING btree ("repository_id","draft","prerelease");--> statement-breakpoint
CREATE INDEX "release_names" ON "release" USING gin (text_grams(release_names("tag_name", "title"))) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "release_words" ON "release" USING gin (release_words("body"));--> statement-breakpoint
CREATE INDEX "collaborator_user" ON "collaborator" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "git_store_repository" ON "git_store" USING btree ("repository_id");--> statement-breakpoint
CREATE UNIQUE INDEX "pack_checksum" ON "pack" USING btree ("checksum");--> statement-breakpoint
CREATE INDEX "pack_retired" ON "pack" USING btree ("retired_at") WHERE "pack"."retired_at" is not null;--> statement-breakpoint
CREATE INDEX "reflog_ref" ON "reflog" USING btree ("repository_id","name","id");--> statement-breakpoint
CREATE UNIQUE INDEX "repository_owner_name" ON "repository" USING btree ("owner_id","lower_name");--> statement-breakpoint
CREATE INDEX "repository_fork" ON "repository" USING btree ("fork_of","owner_id");--> statement-breakpoint
CREATE INDEX "repository_pack_pack" ON "repository_pack" USING btree ("pack_id");--> statement-breakpoint
CREATE INDEX "repository_redirect_target" ON "repository_redirect" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "team_repository_repository" ON "team_repository" USING btree ("repository_id");--> statement-breakpoint
CREATE UNIQUE INDEX "saved_search_name" ON "saved_search" USING btree ("user_id",coalesce("repository_id", 0),coalesce("organization_id", 0),"is_pull",lower("name"));--> statement-breakpoint
CREATE INDEX "saved_search_repository" ON "saved_search" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "saved_search_organization" ON "saved_search" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "secret_repository" ON "secret" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "variable_repository" ON "variable" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "activity_actor" ON "activity" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "activity_repository" ON "activity" USING btree ("repository_id","id");--> statement-breakpoint
CREATE INDEX "block_blocked" ON "block" USING btree ("blocked_id");--> statement-breakpoint
CREATE INDEX "follow_followed" ON "follow" USING btree ("followed_id");--> statement-breakpoint
CREATE INDEX "star_repository" ON "star" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "watch_repository" ON "watch" USING btree ("repository_id");--> statement-breakpoint
CREATE UNIQUE INDEX "commit_status_index" ON "commit_status" USING btree ("repository_id","oid","index");--> statement-breakpoint
CREATE INDEX "commit_status_state" ON "commit_status" USING btree ("repository_id","oid","state","index");--> statement-breakpoint
CREATE INDEX "commit_status_creator" ON "commit_status" USING btree ("creator_id") WHERE "commit_status"."creator_id" is not null;--> statement-breakpoint
CREATE INDEX "stopwatch_issue" ON "stopwatch" USING btree ("issue_id");--> statement-breakpoint
CREATE INDEX "tracked_time_issue" ON "tracked_time" USING btree ("issue_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tracked_time_repository" ON "tracked_time" USING btree ("repository_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tracked_time_user" ON "tracked_time" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "repository_transfer_doer" ON "repository_transfer" USING btree ("doer_id");--> statement-breakpoint
CREATE INDEX "repository_transfer_recipient" ON "repository_transfer" USING btree ("recipient_id");