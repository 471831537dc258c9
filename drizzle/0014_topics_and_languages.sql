CREATE TABLE "topic" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "topic_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text COLLATE "C" NOT NULL,
	"open_to_all" integer NOT NULL,
	"open_to_users" integer NOT NULL,
	"repositories" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repository_flag" (
	"repository_id" bigint NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	CONSTRAINT "repository_flag_repository_id_name_pk" PRIMARY KEY("repository_id","name")
);
--> statement-breakpoint
CREATE TABLE "repository_languages" (
	"repository_id" bigint PRIMARY KEY NOT NULL,
	"commit" "bytea" NOT NULL,
	"rules" text NOT NULL,
	"bytes" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "blob_reference" DROP CONSTRAINT "blob_reference_kind";--> statement-breakpoint
ALTER TABLE "repository_count" ADD COLUMN "language" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "repository" ADD COLUMN "avatar_sha256" "bytea";--> statement-breakpoint
ALTER TABLE "repository_flag" ADD CONSTRAINT "repository_flag_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repository_languages" ADD CONSTRAINT "repository_languages_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "topic_name" ON "topic" USING btree ("name");--> statement-breakpoint
CREATE INDEX "topic_open_to_all" ON "topic" USING btree ("open_to_all" DESC NULLS LAST,"name");--> statement-breakpoint
CREATE INDEX "topic_open_to_users" ON "topic" USING btree ("open_to_users" DESC NULLS LAST,"name");--> statement-breakpoint
CREATE INDEX "topic_repositories" ON "topic" USING btree ("repositories" DESC NULLS LAST,"name");--> statement-breakpoint
CREATE INDEX "topic_words" ON "topic" USING gin (text_grams("name")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "repository_listing_owner_topics" ON "repository_listing" USING btree ("owner_id","class") WHERE "repository_listing"."topics" <> '{}';--> statement-breakpoint
ALTER TABLE "blob_reference" ADD CONSTRAINT "blob_reference_kind" CHECK ("blob_reference"."kind" in ('lfs-object', 'avatar', 'repository-avatar'));
--> statement-breakpoint
INSERT INTO "topic" ("name", "open_to_all", "open_to_users", "repositories")
	SELECT "topic", count(*) FILTER (WHERE "class" < 4), count(*) FILTER (WHERE "class" < 8), count(*)
	FROM "repository_listing", unnest("topics") AS "topic" GROUP BY 1;
--> statement-breakpoint
-- Counts the topics of repositories that came, went or changed: what stands in three arrays beside each other. In the order of names, so that no two wait for each other.
CREATE FUNCTION "add_topics"("of_names" text[], "of_classes" smallint[], "changes" integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF "of_names" IS NULL THEN
		RETURN;
	END IF;
	INSERT INTO "topic" ("name", "open_to_all", "open_to_users", "repositories")
		SELECT "one"."name", coalesce(sum("change") FILTER (WHERE "class" < 4), 0), coalesce(sum("change") FILTER (WHERE "class" < 8), 0), sum("change")
		FROM unnest("of_names", "of_classes", "changes") AS "one" ("name", "class", "change") GROUP BY "one"."name"
		HAVING (coalesce(sum("change") FILTER (WHERE "class" < 4), 0), coalesce(sum("change") FILTER (WHERE "class" < 8), 0), sum("change")) <> (0, 0, 0)
		ORDER BY "one"."name" COLLATE "C"
		ON CONFLICT ("name") DO UPDATE SET "open_to_all" = "topic"."open_to_all" + excluded."open_to_all",
			"open_to_users" = "topic"."open_to_users" + excluded."open_to_users",
			"repositories" = "topic"."repositories" + excluded."repositories", "updated_at" = now();
	DELETE FROM "topic" WHERE "name" = ANY ("of_names") AND "repositories" = 0;
END $$;
--> statement-breakpoint
CREATE FUNCTION "count_topics"() RETURNS trigger LANGUAGE plpgsql AS $$
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
--> statement-breakpoint
CREATE TRIGGER "topics_added" AFTER INSERT ON "repository_listing" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_topics"();
--> statement-breakpoint
CREATE TRIGGER "topics_removed" AFTER DELETE ON "repository_listing" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_topics"();
--> statement-breakpoint
CREATE TRIGGER "topics_changed" AFTER UPDATE ON "repository_listing" REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "count_topics"();
--> statement-breakpoint
CREATE FUNCTION "refer_to_repository_avatar"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		DELETE FROM "blob_reference" WHERE "kind" = 'repository-avatar' AND "subject_id" = OLD."id";
	END IF;
	IF TG_OP <> 'DELETE' AND NEW."avatar_sha256" IS NOT NULL THEN
		INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
			SELECT "sha256", 'repository-avatar', NEW."owner_id", NEW."id", "bytes" FROM "blob" WHERE "sha256" = NEW."avatar_sha256";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_avatar_set" AFTER UPDATE ON "repository" FOR EACH ROW
	WHEN (OLD."avatar_sha256" IS DISTINCT FROM NEW."avatar_sha256" OR (NEW."avatar_sha256" IS NOT NULL AND OLD."owner_id" <> NEW."owner_id"))
	EXECUTE FUNCTION "refer_to_repository_avatar"();
--> statement-breakpoint
CREATE TRIGGER "repository_avatar_given" AFTER INSERT ON "repository" FOR EACH ROW WHEN (NEW."avatar_sha256" IS NOT NULL) EXECUTE FUNCTION "refer_to_repository_avatar"();
--> statement-breakpoint
CREATE TRIGGER "repository_avatar_gone" AFTER DELETE ON "repository" FOR EACH ROW WHEN (OLD."avatar_sha256" IS NOT NULL) EXECUTE FUNCTION "refer_to_repository_avatar"();
