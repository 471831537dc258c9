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
ALTER TABLE "commit_status" ADD CONSTRAINT "commit_status_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commit_status" ADD CONSTRAINT "commit_status_creator_id_owner_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."owner"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commit_status_total" ADD CONSTRAINT "commit_status_total_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "latest_commit_status" ADD CONSTRAINT "latest_commit_status_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "commit_status_index" ON "commit_status" USING btree ("repository_id","oid","index");--> statement-breakpoint
CREATE INDEX "commit_status_state" ON "commit_status" USING btree ("repository_id","oid","state","index");--> statement-breakpoint
CREATE INDEX "commit_status_creator" ON "commit_status" USING btree ("creator_id") WHERE "commit_status"."creator_id" is not null;--> statement-breakpoint
-- Half of each page stays free: an update finds room on its own page, and needs no new entry in an index.
ALTER TABLE "latest_commit_status" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "commit_status_total" SET (fillfactor = 50);
