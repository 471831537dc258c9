CREATE TABLE "blob_reference" (
	"sha256" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"owner_id" bigint NOT NULL,
	"subject_id" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "blob_reference_kind_subject_id_sha256_pk" PRIMARY KEY("kind","subject_id","sha256"),
	CONSTRAINT "blob_reference_kind" CHECK ("blob_reference"."kind" in ('lfs-object', 'avatar'))
);
--> statement-breakpoint
ALTER TABLE "blob_reference" ADD CONSTRAINT "blob_reference_sha256_blob_sha256_fk" FOREIGN KEY ("sha256") REFERENCES "public"."blob"("sha256") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "blob_reference_sha256" ON "blob_reference" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "blob_reference_owner" ON "blob_reference" USING btree ("owner_id","kind");--> statement-breakpoint
INSERT INTO "blob_reference" ("sha256", "kind", "owner_id", "subject_id", "bytes", "created_at")
	SELECT "lfs_object"."sha256", 'lfs-object', "repository"."owner_id", "repository"."id", "blob"."bytes", "lfs_object"."created_at"
	FROM "lfs_object" JOIN "repository" ON "repository"."id" = "repository_id" JOIN "blob" ON "blob"."sha256" = "lfs_object"."sha256"
	UNION ALL SELECT "blob"."sha256", 'avatar', "owner"."id", "owner"."id", "blob"."bytes", "owner"."updated_at"
	FROM "owner" JOIN "blob" ON "blob"."sha256" = "owner"."avatar_sha256";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "unlist_repositories"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "repository_listing" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "repository_size" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "repository_count" USING "removed" WHERE "repository_id" = "removed"."id";
	DELETE FROM "blob_reference" USING "removed" WHERE "kind" = 'lfs-object' AND "subject_id" = "removed"."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
-- The bytes of a repository that gets another owner are the other owner's.
CREATE FUNCTION "move_references"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "blob_reference" SET "owner_id" = NEW."owner_id" WHERE "kind" = 'lfs-object' AND "subject_id" = NEW."id";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "repository_references_moved" AFTER UPDATE ON "repository" FOR EACH ROW WHEN (OLD."owner_id" <> NEW."owner_id") EXECUTE FUNCTION "move_references"();
--> statement-breakpoint
CREATE FUNCTION "refer_to_avatar"() RETURNS trigger LANGUAGE plpgsql AS $$
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
--> statement-breakpoint
CREATE TRIGGER "owner_avatar_set" AFTER UPDATE ON "owner" FOR EACH ROW WHEN (OLD."avatar_sha256" IS DISTINCT FROM NEW."avatar_sha256") EXECUTE FUNCTION "refer_to_avatar"();
--> statement-breakpoint
CREATE TRIGGER "owner_avatar_given" AFTER INSERT ON "owner" FOR EACH ROW WHEN (NEW."avatar_sha256" IS NOT NULL) EXECUTE FUNCTION "refer_to_avatar"();
--> statement-breakpoint
CREATE TRIGGER "owner_avatar_gone" AFTER DELETE ON "owner" FOR EACH ROW WHEN (OLD."avatar_sha256" IS NOT NULL) EXECUTE FUNCTION "refer_to_avatar"();
