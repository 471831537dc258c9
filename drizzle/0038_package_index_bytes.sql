ALTER TABLE "package_index" ADD COLUMN "bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "package_index" "i" SET "bytes" = (SELECT coalesce(sum(octet_length("s"."content")), 0) FROM "package_stanza" "s"
	WHERE "s"."owner_id" = "i"."owner_id" AND "s"."type" = "i"."type" AND "s"."index_name" = "i"."name");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "want_package_indexes"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE "sign" integer := CASE WHEN TG_OP = 'DELETE' THEN -1 ELSE 1 END;
BEGIN
	INSERT INTO "package_index" ("owner_id", "type", "name", "wanted", "bytes")
		SELECT "owner_id", "type", "index_name", 1, "sign" * sum(octet_length("content")) FROM "changed" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
		ON CONFLICT ("owner_id", "type", "name") DO UPDATE
			SET "wanted" = "package_index"."wanted" + 1, "bytes" = "package_index"."bytes" + excluded."bytes";
	RETURN NULL;
END $$;
