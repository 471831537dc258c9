ALTER TABLE "push_mirror" ADD COLUMN "maker_id" bigint;--> statement-breakpoint
ALTER TABLE "pull_auto_merge" ADD COLUMN "credential" jsonb DEFAULT '{"kind":"none"}'::jsonb NOT NULL;--> statement-breakpoint
-- Those of organizations go on as before: nobody knows who made them.
UPDATE "push_mirror" SET "maker_id" = "account"."owner_id"
FROM "repository" JOIN "account" ON "account"."owner_id" = "repository"."owner_id"
WHERE "repository"."id" = "push_mirror"."repository_id";
