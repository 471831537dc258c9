-- Counts the topics of repositories that came, went or changed: what stands in three arrays beside each other. In the order of names, so that no two wait for each other.
CREATE OR REPLACE FUNCTION "add_topics"("of_names" text[], "of_classes" smallint[], "changes" integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF "of_names" IS NULL THEN
		RETURN;
	END IF;
	INSERT INTO "topic" ("name", "open_to_all", "open_to_users", "repositories")
		SELECT "one"."name", coalesce(sum("change") FILTER (WHERE "class" < 8), 0), coalesce(sum("change") FILTER (WHERE "class" < 16), 0), sum("change")
		FROM unnest("of_names", "of_classes", "changes") AS "one" ("name", "class", "change") GROUP BY "one"."name"
		HAVING (coalesce(sum("change") FILTER (WHERE "class" < 8), 0), coalesce(sum("change") FILTER (WHERE "class" < 16), 0), sum("change")) <> (0, 0, 0)
		ORDER BY "one"."name" COLLATE "C"
		ON CONFLICT ("name") DO UPDATE SET "open_to_all" = "topic"."open_to_all" + excluded."open_to_all",
			"open_to_users" = "topic"."open_to_users" + excluded."open_to_users",
			"repositories" = "topic"."repositories" + excluded."repositories", "updated_at" = now();
	DELETE FROM "topic" WHERE "name" = ANY ("of_names") AND "repositories" = 0;
END $$;

CREATE OR REPLACE FUNCTION "count_topics"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	"names" text[];
	"classes" smallint[];
	"changes" integer[];
BEGIN
	IF TG_OP = 'UPDATE' THEN
		SELECT array_agg("topic"), array_agg("class"), array_agg("change") INTO "names", "classes", "changes" FROM (
			SELECT "topic", "class", -1 AS "change" FROM "before", unnest("topics") AS "topic"
			UNION ALL SELECT "topic", "class", 1 FROM "after", unnest("topics") AS "topic"
		) AS "moved";
	ELSE
		SELECT array_agg("topic"), array_agg("class"), array_agg(CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END) INTO "names", "classes", "changes"
			FROM "changed", unnest("topics") AS "topic";
	END IF;
	PERFORM "add_topics"("names", "classes", "changes");
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "topics_added" AFTER INSERT ON "repository_listing" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_topics"();

CREATE OR REPLACE TRIGGER "topics_removed" AFTER DELETE ON "repository_listing" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_topics"();

CREATE OR REPLACE TRIGGER "topics_changed" AFTER UPDATE ON "repository_listing" REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "count_topics"();
