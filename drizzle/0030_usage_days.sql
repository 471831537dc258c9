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
ALTER TABLE "usage_day" ADD CONSTRAINT "usage_day_owner_id_owner_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owner"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "usage_day_day" ON "usage_day" USING btree ("day");