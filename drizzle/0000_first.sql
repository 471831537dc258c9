CREATE TABLE "access_token" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "access_token_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"last_eight" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone
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
	"last_sign_in_at" timestamp with time zone
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
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "owner_kind" CHECK ("owner"."kind" in ('user', 'organization')),
	CONSTRAINT "owner_visibility" CHECK ("owner"."visibility" in ('public', 'limited', 'private'))
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
CREATE TABLE "collaborator" (
	"repository_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"mode" integer NOT NULL,
	CONSTRAINT "collaborator_repository_id_user_id_pk" PRIMARY KEY("repository_id","user_id"),
	CONSTRAINT "collaborator_mode" CHECK ("collaborator"."mode" between 1 and 3)
);
--> statement-breakpoint
CREATE TABLE "pack" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pack_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"checksum" text COLLATE "C" NOT NULL,
	"objects" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
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
	"archived_at" timestamp with time zone,
	"default_branch" text COLLATE "C" NOT NULL,
	"object_format" text DEFAULT 'sha1' NOT NULL,
	"trust_model" text DEFAULT 'default' NOT NULL,
	"generation" bigint DEFAULT 0 NOT NULL,
	"empty" boolean DEFAULT true NOT NULL,
	"git_bytes" bigint DEFAULT 0 NOT NULL,
	"topics" text[] DEFAULT '{}' NOT NULL,
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
ALTER TABLE "access_token" ADD CONSTRAINT "access_token_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account" ADD CONSTRAINT "account_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team" ADD CONSTRAINT "team_organization_id_owner_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_member" ADD CONSTRAINT "team_member_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collaborator" ADD CONSTRAINT "collaborator_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collaborator" ADD CONSTRAINT "collaborator_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ref" ADD CONSTRAINT "ref_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reflog" ADD CONSTRAINT "reflog_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reflog" ADD CONSTRAINT "reflog_actor_id_owner_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."owner"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository" ADD CONSTRAINT "repository_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_pack" ADD CONSTRAINT "repository_pack_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_pack" ADD CONSTRAINT "repository_pack_pack_id_pack_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."pack"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_redirect" ADD CONSTRAINT "repository_redirect_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_redirect" ADD CONSTRAINT "repository_redirect_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_repository" ADD CONSTRAINT "team_repository_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_repository" ADD CONSTRAINT "team_repository_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_token_hash" ON "access_token" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "access_token_user_name" ON "access_token" USING btree ("user_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "owner_lower_name" ON "owner" USING btree ("lower_name");--> statement-breakpoint
CREATE INDEX "owner_lower_email" ON "owner" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "team_organization_name" ON "team" USING btree ("organization_id","lower_name");--> statement-breakpoint
CREATE INDEX "team_member_user" ON "team_member" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "collaborator_user" ON "collaborator" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "pack_checksum" ON "pack" USING btree ("checksum");--> statement-breakpoint
CREATE INDEX "reflog_ref" ON "reflog" USING btree ("repository_id","name","id");--> statement-breakpoint
CREATE UNIQUE INDEX "repository_owner_name" ON "repository" USING btree ("owner_id","lower_name");--> statement-breakpoint
CREATE INDEX "repository_updated" ON "repository" USING btree ("updated_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "repository_pack_pack" ON "repository_pack" USING btree ("pack_id");--> statement-breakpoint
CREATE INDEX "repository_redirect_target" ON "repository_redirect" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "team_repository_repository" ON "team_repository" USING btree ("repository_id");