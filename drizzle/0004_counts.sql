ALTER TABLE "owner" ADD COLUMN "followers" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owner" ADD COLUMN "following" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owner" ADD COLUMN "starred" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "repository" ADD COLUMN "stars" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "repository" ADD COLUMN "watchers" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE FUNCTION "count_follow"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- In the order of ids, so that two who follow each other at once do not wait for each other.
	PERFORM FROM "owner" WHERE "id" IN (coalesce(NEW."follower_id", OLD."follower_id"), coalesce(NEW."followed_id", OLD."followed_id"))
		ORDER BY "id" FOR NO KEY UPDATE;
	IF TG_OP = 'INSERT' THEN
		UPDATE "owner" SET "following" = "following" + 1 WHERE "id" = NEW."follower_id";
		UPDATE "owner" SET "followers" = "followers" + 1 WHERE "id" = NEW."followed_id";
	ELSE
		UPDATE "owner" SET "following" = "following" - 1 WHERE "id" = OLD."follower_id";
		UPDATE "owner" SET "followers" = "followers" - 1 WHERE "id" = OLD."followed_id";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "follow_counted" AFTER INSERT OR DELETE ON "follow" FOR EACH ROW EXECUTE FUNCTION "count_follow"();
--> statement-breakpoint
CREATE FUNCTION "count_star"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE "repository" SET "stars" = "stars" + 1 WHERE "id" = NEW."repository_id";
		UPDATE "owner" SET "starred" = "starred" + 1 WHERE "id" = NEW."user_id";
	ELSE
		UPDATE "repository" SET "stars" = "stars" - 1 WHERE "id" = OLD."repository_id";
		UPDATE "owner" SET "starred" = "starred" - 1 WHERE "id" = OLD."user_id";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "star_counted" AFTER INSERT OR DELETE ON "star" FOR EACH ROW EXECUTE FUNCTION "count_star"();
--> statement-breakpoint
CREATE FUNCTION "count_watch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE "repository" SET "watchers" = "watchers" + 1 WHERE "id" = NEW."repository_id";
	ELSE
		UPDATE "repository" SET "watchers" = "watchers" - 1 WHERE "id" = OLD."repository_id";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "watch_counted" AFTER INSERT OR DELETE ON "watch" FOR EACH ROW EXECUTE FUNCTION "count_watch"();
--> statement-breakpoint
INSERT INTO "watch" ("user_id", "repository_id")
	SELECT "repository"."owner_id", "repository"."id" FROM "repository" JOIN "account" ON "account"."owner_id" = "repository"."owner_id";
