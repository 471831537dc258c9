CREATE OR REPLACE FUNCTION "count_follow"() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE TRIGGER "follow_counted" AFTER INSERT OR DELETE ON "follow" FOR EACH ROW EXECUTE FUNCTION "count_follow"();

CREATE OR REPLACE FUNCTION "count_star"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE "owner" SET "starred" = "starred" + 1 WHERE "id" = NEW."user_id";
		UPDATE "repository_count" SET "stars" = "stars" + 1 WHERE "repository_id" = NEW."repository_id";
	ELSE
		UPDATE "owner" SET "starred" = "starred" - 1 WHERE "id" = OLD."user_id";
		UPDATE "repository_count" SET "stars" = "stars" - 1 WHERE "repository_id" = OLD."repository_id";
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "star_counted" AFTER INSERT OR DELETE ON "star" FOR EACH ROW EXECUTE FUNCTION "count_star"();

CREATE OR REPLACE FUNCTION "count_watch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE "repository_count" SET "watchers" = "watchers" + 1 WHERE "repository_id" = NEW."repository_id";
	ELSE
		UPDATE "repository_count" SET "watchers" = "watchers" - 1 WHERE "repository_id" = OLD."repository_id";
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "watch_counted" AFTER INSERT OR DELETE ON "watch" FOR EACH ROW EXECUTE FUNCTION "count_watch"();
