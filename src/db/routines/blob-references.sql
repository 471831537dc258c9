CREATE OR REPLACE FUNCTION "refer_to_avatar"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		DELETE FROM "blob_reference" WHERE "kind" = 'avatar' AND "subject_id" = OLD."id";
	END IF;
	IF TG_OP <> 'DELETE' AND NEW."avatar_sha256" IS NOT NULL THEN
		INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
			SELECT "sha256", 'avatar', NEW."id", NEW."id", "bytes" FROM "blob" WHERE "sha256" = NEW."avatar_sha256";
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "owner_avatar_set" AFTER UPDATE ON "owner" FOR EACH ROW WHEN (OLD."avatar_sha256" IS DISTINCT FROM NEW."avatar_sha256") EXECUTE FUNCTION "refer_to_avatar"();

CREATE OR REPLACE TRIGGER "owner_avatar_given" AFTER INSERT ON "owner" FOR EACH ROW WHEN (NEW."avatar_sha256" IS NOT NULL) EXECUTE FUNCTION "refer_to_avatar"();

CREATE OR REPLACE TRIGGER "owner_avatar_gone" AFTER DELETE ON "owner" FOR EACH ROW WHEN (OLD."avatar_sha256" IS NOT NULL) EXECUTE FUNCTION "refer_to_avatar"();

CREATE OR REPLACE FUNCTION "refer_to_repository_avatar"() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE TRIGGER "repository_avatar_set" AFTER UPDATE ON "repository" FOR EACH ROW
	WHEN (OLD."avatar_sha256" IS DISTINCT FROM NEW."avatar_sha256" OR (NEW."avatar_sha256" IS NOT NULL AND OLD."owner_id" <> NEW."owner_id"))
	EXECUTE FUNCTION "refer_to_repository_avatar"();

CREATE OR REPLACE TRIGGER "repository_avatar_given" AFTER INSERT ON "repository" FOR EACH ROW WHEN (NEW."avatar_sha256" IS NOT NULL) EXECUTE FUNCTION "refer_to_repository_avatar"();

CREATE OR REPLACE TRIGGER "repository_avatar_gone" AFTER DELETE ON "repository" FOR EACH ROW WHEN (OLD."avatar_sha256" IS NOT NULL) EXECUTE FUNCTION "refer_to_repository_avatar"();

CREATE OR REPLACE FUNCTION "refer_to_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes", "by_guest")
		SELECT "added"."sha256", CASE WHEN "added"."issue_id" IS NULL THEN 'release-attachment' ELSE 'issue-attachment' END,
			"repository"."owner_id", "added"."id", "added"."bytes", "added"."by_guest"
		FROM "added" JOIN "repository" ON "repository"."id" = "added"."repository_id" WHERE "added"."sha256" IS NOT NULL;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "attachments_added" AFTER INSERT ON "attachment" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "refer_to_attachments"();

CREATE OR REPLACE FUNCTION "leave_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" IN ('release-attachment', 'issue-attachment') AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "attachments_removed" AFTER DELETE ON "attachment" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "leave_attachments"();

CREATE OR REPLACE FUNCTION "refer_to_artifacts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
		SELECT "added"."sha256", 'artifact', "repository"."owner_id", "added"."id", "added"."bytes"
		FROM "added" JOIN "repository" ON "repository"."id" = "added"."repository_id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "artifacts_added" AFTER INSERT ON "artifact" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "refer_to_artifacts"();

CREATE OR REPLACE FUNCTION "leave_artifacts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'artifact' AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "artifacts_removed" AFTER DELETE ON "artifact" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "leave_artifacts"();

CREATE OR REPLACE FUNCTION "refer_to_package_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
		SELECT "sha256", 'package', "owner_id", "id", "bytes" FROM "added";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "package_files_added" AFTER INSERT ON "package_file" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "refer_to_package_files"();

CREATE OR REPLACE FUNCTION "leave_package_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'package' AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "package_files_removed" AFTER DELETE ON "package_file" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "leave_package_files"();

CREATE OR REPLACE FUNCTION "refer_to_package_index_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes")
		SELECT "sha256", 'package-index', "owner_id", "id", "bytes" FROM "added";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "package_index_files_added" AFTER INSERT ON "package_index_file" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "refer_to_package_index_files"();

CREATE OR REPLACE FUNCTION "leave_package_index_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'package-index' AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "package_index_files_removed" AFTER DELETE ON "package_index_file" REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "leave_package_index_files"();

-- The bytes of a repository that gets another owner are the other owner's.
CREATE OR REPLACE FUNCTION "move_references"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "blob_reference" SET "owner_id" = NEW."owner_id" WHERE "kind" = 'lfs-object' AND "subject_id" IN (NEW."id", -NEW."id");
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_references_moved" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (OLD."owner_id" <> NEW."owner_id") EXECUTE FUNCTION "move_references"();

-- The bytes of a repository that gets another owner are the other owner's.
CREATE OR REPLACE FUNCTION "move_attachments"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "blob_reference" SET "owner_id" = NEW."owner_id" FROM "attachment"
		WHERE "attachment"."repository_id" = NEW."id" AND "kind" IN ('release-attachment', 'issue-attachment') AND "subject_id" = "attachment"."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_attachments_moved" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (OLD."owner_id" <> NEW."owner_id") EXECUTE FUNCTION "move_attachments"();

CREATE OR REPLACE FUNCTION "move_artifacts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "blob_reference" SET "owner_id" = NEW."owner_id" FROM "artifact"
		WHERE "artifact"."repository_id" = NEW."id" AND "kind" = 'artifact' AND "subject_id" = "artifact"."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "repository_artifacts_moved" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (OLD."owner_id" <> NEW."owner_id") EXECUTE FUNCTION "move_artifacts"();
