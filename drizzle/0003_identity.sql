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
CREATE TABLE "oauth_access_token" (
	"token_id" bigint PRIMARY KEY NOT NULL,
	"grant_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_application" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "oauth_application_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
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
CREATE TABLE "team_unit" (
	"team_id" bigint NOT NULL,
	"unit" text NOT NULL,
	"mode" integer NOT NULL,
	CONSTRAINT "team_unit_team_id_unit_pk" PRIMARY KEY("team_id","unit"),
	CONSTRAINT "team_unit_mode" CHECK ("team_unit"."mode" between 0 and 2)
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
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "watch_user_id_repository_id_pk" PRIMARY KEY("user_id","repository_id")
);
--> statement-breakpoint
ALTER TABLE "access_token" ADD COLUMN "restricted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "keep_activity_private" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "theme" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "diff_view_style" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "enable_repo_unit_hints" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "may_create_organizations" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "max_repositories" integer DEFAULT -1 NOT NULL;--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "login_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "owner" ADD COLUMN "keep_pronouns_private" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "owner" ADD COLUMN "avatar_sha256" "bytea";--> statement-breakpoint
ALTER TABLE "access_token_repository" ADD CONSTRAINT "access_token_repository_token_id_access_token_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."access_token"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_token_repository" ADD CONSTRAINT "access_token_repository_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_address" ADD CONSTRAINT "email_address_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gpg_key" ADD CONSTRAINT "gpg_key_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_token" ADD CONSTRAINT "mail_token_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_token" ADD CONSTRAINT "mail_token_email_id_email_address_id_fk" FOREIGN KEY ("email_id") REFERENCES "public"."email_address"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "two_factor" ADD CONSTRAINT "two_factor_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_token" ADD CONSTRAINT "oauth_access_token_token_id_access_token_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."access_token"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_token" ADD CONSTRAINT "oauth_access_token_grant_id_oauth_grant_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."oauth_grant"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_application" ADD CONSTRAINT "oauth_application_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_code" ADD CONSTRAINT "oauth_code_grant_id_oauth_grant_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."oauth_grant"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_grant" ADD CONSTRAINT "oauth_grant_application_id_oauth_application_id_fk" FOREIGN KEY ("application_id") REFERENCES "public"."oauth_application"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_grant" ADD CONSTRAINT "oauth_grant_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_refresh_token" ADD CONSTRAINT "oauth_refresh_token_grant_id_oauth_grant_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."oauth_grant"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "owner_redirect" ADD CONSTRAINT "owner_redirect_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "public_member" ADD CONSTRAINT "public_member_organization_id_owner_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "public_member" ADD CONSTRAINT "public_member_user_id_account_owner_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_unit" ADD CONSTRAINT "team_unit_team_id_team_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."team"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
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
CREATE INDEX "oauth_access_token_grant" ON "oauth_access_token" USING btree ("grant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_application_client_id" ON "oauth_application" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "oauth_application_user" ON "oauth_application" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "oauth_code_grant" ON "oauth_code" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "oauth_code_expires" ON "oauth_code" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_grant_application_user" ON "oauth_grant" USING btree ("application_id","user_id");--> statement-breakpoint
CREATE INDEX "oauth_grant_user" ON "oauth_grant" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_token_grant" ON "oauth_refresh_token" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_token_expires" ON "oauth_refresh_token" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "owner_redirect_owner" ON "owner_redirect" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "public_member_user" ON "public_member" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "activity_actor" ON "activity" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "activity_repository" ON "activity" USING btree ("repository_id","id");--> statement-breakpoint
CREATE INDEX "block_blocked" ON "block" USING btree ("blocked_id");--> statement-breakpoint
CREATE INDEX "follow_followed" ON "follow" USING btree ("followed_id");--> statement-breakpoint
CREATE INDEX "star_repository" ON "star" USING btree ("repository_id");--> statement-breakpoint
CREATE INDEX "watch_repository" ON "watch" USING btree ("repository_id");--> statement-breakpoint
ALTER TABLE "owner" ADD CONSTRAINT "owner_avatar_sha256_blob_sha256_fk" FOREIGN KEY ("avatar_sha256") REFERENCES "public"."blob"("sha256") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
INSERT INTO "email_address" ("user_id", "email", "lower_email", "verified", "primary")
	SELECT "owner"."id", "owner"."email", lower("owner"."email"),
		row_number() OVER (PARTITION BY lower("owner"."email") ORDER BY "owner"."id") = 1, true
	FROM "owner" WHERE "owner"."kind" = 'user' AND "owner"."email" <> '';
--> statement-breakpoint
INSERT INTO "team_unit" ("team_id", "unit", "mode")
	SELECT "team"."id", "units"."name", "team"."mode"
	FROM "team" CROSS JOIN unnest(ARRAY['code', 'issues', 'pulls', 'releases', 'wiki', 'packages', 'projects', 'actions']) AS "units" ("name")
	WHERE "team"."mode" <= 2;
