CREATE OR REPLACE FUNCTION "want_package_indexes"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE "sign" integer := CASE WHEN TG_OP = 'DELETE' THEN -1 ELSE 1 END;
BEGIN
	INSERT INTO "package_index" ("owner_id", "type", "name", "wanted", "bytes")
		SELECT "owner_id", "type", "index_name", 1, "sign" * sum(octet_length("content")) FROM "changed" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
		ON CONFLICT ("owner_id", "type", "name") DO UPDATE
			SET "wanted" = "package_index"."wanted" + 1, "bytes" = "package_index"."bytes" + excluded."bytes";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "package_stanzas_added" AFTER INSERT ON "package_stanza" REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "want_package_indexes"();

CREATE OR REPLACE TRIGGER "package_stanzas_removed" AFTER DELETE ON "package_stanza" REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "want_package_indexes"();

-- Who may know of a package has changed: its indexes name it to others.
CREATE OR REPLACE FUNCTION "want_indexes_of_package"("of_package" bigint) RETURNS void LANGUAGE sql AS $$
	UPDATE "package_index" SET "wanted" = "wanted" + 1 WHERE "id" IN (SELECT "i"."id" FROM "package_index" "i"
		JOIN "package_stanza" "s" ON "s"."owner_id" = "i"."owner_id" AND "s"."type" = "i"."type" AND "s"."index_name" = "i"."name"
		JOIN "package_file" "f" ON "f"."id" = "s"."file_id" JOIN "package_version" "v" ON "v"."id" = "f"."version_id"
		WHERE "v"."package_id" = "of_package")
$$;

CREATE OR REPLACE FUNCTION "want_indexes_of_shown_package"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "want_indexes_of_package"(NEW."id");
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "package_shown_to_others" AFTER UPDATE ON "package" FOR EACH ROW
	WHEN (OLD."repository_id" IS DISTINCT FROM NEW."repository_id" OR OLD."insiders_only" <> NEW."insiders_only")
	EXECUTE FUNCTION "want_indexes_of_shown_package"();

CREATE OR REPLACE FUNCTION "want_indexes_of_repository"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "want_indexes_of_package"("id") FROM "package" WHERE "repository_id" = NEW."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "packages_shown_with_repository" AFTER UPDATE ON "repository" FOR EACH ROW
	WHEN (OLD."private" <> NEW."private") EXECUTE FUNCTION "want_indexes_of_repository"();

CREATE OR REPLACE FUNCTION "hide_packages_of_private_repository"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "package" SET "insiders_only" = true WHERE "repository_id" = OLD."id";
	RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER "packages_of_private_repository" BEFORE DELETE ON "repository" FOR EACH ROW WHEN (OLD."private") EXECUTE FUNCTION "hide_packages_of_private_repository"();
