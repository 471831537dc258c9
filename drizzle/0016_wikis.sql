CREATE TABLE "git_store" (
	"id" bigint PRIMARY KEY NOT NULL,
	"repository_id" bigint GENERATED ALWAYS AS (abs(id)) STORED NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wiki" (
	"id" bigint PRIMARY KEY NOT NULL,
	"generation" bigint DEFAULT 0 NOT NULL,
	"empty" boolean DEFAULT true NOT NULL,
	"git_bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "wiki_id" CHECK ("wiki"."id" < 0)
);
--> statement-breakpoint
ALTER TABLE "ref" DROP CONSTRAINT "ref_repository_id_repository_id_fk";
--> statement-breakpoint
ALTER TABLE "reflog" DROP CONSTRAINT "reflog_repository_id_repository_id_fk";
--> statement-breakpoint
ALTER TABLE "repository_pack" DROP CONSTRAINT "repository_pack_repository_id_repository_id_fk";
--> statement-breakpoint
ALTER TABLE "git_store" ADD CONSTRAINT "git_store_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wiki" ADD CONSTRAINT "wiki_id_git_store_id_fk" FOREIGN KEY ("id") REFERENCES "public"."git_store"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "git_store_repository" ON "git_store" USING btree ("repository_id");--> statement-breakpoint
INSERT INTO "git_store" ("id") SELECT "id" FROM "repository";--> statement-breakpoint
ALTER TABLE "ref" ADD CONSTRAINT "ref_repository_id_git_store_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."git_store"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reflog" ADD CONSTRAINT "reflog_repository_id_git_store_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."git_store"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_pack" ADD CONSTRAINT "repository_pack_repository_id_git_store_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."git_store"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE FUNCTION "store_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "git_store" ("id") SELECT "id" FROM "added";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_stored" AFTER INSERT ON "repository" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "store_repositories"();
