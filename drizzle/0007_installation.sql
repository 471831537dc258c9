CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "installation_only" CHECK ("installation"."only")
);
--> statement-breakpoint
ALTER TABLE "blob" ADD COLUMN "retired_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "pack" ADD COLUMN "retired_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "blob_retired" ON "blob" USING btree ("retired_at") WHERE "blob"."retired_at" is not null;--> statement-breakpoint
CREATE INDEX "pack_retired" ON "pack" USING btree ("retired_at") WHERE "pack"."retired_at" is not null;