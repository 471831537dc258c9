CREATE TABLE "pull_mirror" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"sealed_credentials" "bytea",
	"host_key" text,
	"interval_seconds" integer NOT NULL,
	"next_at" timestamp with time zone,
	"tried_at" timestamp with time zone,
	"synced_at" timestamp with time zone,
	"last_error" text DEFAULT '' NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"prune" boolean NOT NULL
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
	"next_at" timestamp with time zone,
	"tried_at" timestamp with time zone,
	"synced_at" timestamp with time zone,
	"last_error" text DEFAULT '' NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
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
ALTER TABLE "repository" ADD COLUMN "mirror" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pull_mirror" ADD CONSTRAINT "pull_mirror_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "push_mirror" ADD CONSTRAINT "push_mirror_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_migration" ADD CONSTRAINT "repository_migration_actor_id_account_owner_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."account"("owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_migration" ADD CONSTRAINT "repository_migration_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pull_mirror_due" ON "pull_mirror" USING btree ("next_at") WHERE "pull_mirror"."next_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "push_mirror_name" ON "push_mirror" USING btree ("repository_id","name");--> statement-breakpoint
CREATE INDEX "push_mirror_due" ON "push_mirror" USING btree ("next_at") WHERE "push_mirror"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "repository_migration_actor" ON "repository_migration" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "repository_migration_repository" ON "repository_migration" USING btree ("repository_id");