DROP INDEX "owner_lower_email";--> statement-breakpoint
CREATE INDEX "owner_avatar" ON "owner" USING btree ("avatar_sha256") WHERE "owner"."avatar_sha256" is not null;