CREATE TABLE "archive_download" (
	"repository_id" bigint NOT NULL,
	"tag_name" text COLLATE "C" NOT NULL,
	"zip" bigint DEFAULT 0 NOT NULL,
	"tar_gz" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "archive_download_repository_id_tag_name_pk" PRIMARY KEY("repository_id","tag_name")
);
--> statement-breakpoint
ALTER TABLE "archive_download" ADD CONSTRAINT "archive_download_repository_id_repository_id_fk" FOREIGN KEY ("repository_id") REFERENCES "public"."repository"("id") ON DELETE cascade ON UPDATE no action;