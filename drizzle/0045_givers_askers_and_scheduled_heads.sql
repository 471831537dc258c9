ALTER TABLE "pull" ADD COLUMN "maintainer_edit_by_id" bigint;--> statement-breakpoint
ALTER TABLE "pull_auto_merge" ADD COLUMN "head_oid" "bytea";--> statement-breakpoint
ALTER TABLE "review" ADD COLUMN "asked_by_id" bigint;--> statement-breakpoint
-- Who let maintainers edit was not kept. The author did, unless somebody else who may push to the head did later.
UPDATE "pull" SET "maintainer_edit_by_id" = "account"."owner_id"
FROM "issue" JOIN "account" ON "account"."owner_id" = "issue"."author_id"
WHERE "issue"."id" = "pull"."issue_id" AND "pull"."allow_maintainer_edit";--> statement-breakpoint
-- The head as it was when the merge was scheduled: a schedule whose head has moved since ends when it is tried.
UPDATE "pull_auto_merge" SET "head_oid" = coalesce((
		SELECT "reflog"."old_oid" FROM "reflog"
		WHERE "reflog"."repository_id" = "issue"."repository_id" AND "reflog"."name" = 'refs/pull/' || "issue"."number" || '/head'
			AND "reflog"."at" > "pull_auto_merge"."created_at"
		ORDER BY "reflog"."id" LIMIT 1), "pull"."head_oid")
FROM "pull" JOIN "issue" ON "issue"."id" = "pull"."issue_id"
WHERE "pull"."issue_id" = "pull_auto_merge"."pull_id";--> statement-breakpoint
ALTER TABLE "pull_auto_merge" ALTER COLUMN "head_oid" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "pull" ADD CONSTRAINT "pull_maintainer_edit_by_id_account_owner_id_fk" FOREIGN KEY ("maintainer_edit_by_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review" ADD CONSTRAINT "review_asked_by_id_account_owner_id_fk" FOREIGN KEY ("asked_by_id") REFERENCES "public"."account"("owner_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pull_maintainer_edit_by" ON "pull" USING btree ("maintainer_edit_by_id") WHERE "pull"."maintainer_edit_by_id" is not null;--> statement-breakpoint
CREATE INDEX "review_asked_by" ON "review" USING btree ("asked_by_id") WHERE "review"."asked_by_id" is not null;
