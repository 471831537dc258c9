CREATE OR REPLACE FUNCTION "count_issue"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND OLD."milestone_id" IS NOT DISTINCT FROM NEW."milestone_id" AND (OLD."closed_at" IS NULL) = (NEW."closed_at" IS NULL) THEN
		RETURN NULL;
	END IF;
	IF TG_OP <> 'UPDATE' OR (OLD."closed_at" IS NULL) <> (NEW."closed_at" IS NULL) THEN
		UPDATE "repository_count" SET
			"open_issues" = "open_issues" + CASE WHEN TG_OP <> 'DELETE' AND NOT NEW."is_pull" AND NEW."closed_at" IS NULL THEN 1 ELSE 0 END
				- CASE WHEN TG_OP <> 'INSERT' AND NOT OLD."is_pull" AND OLD."closed_at" IS NULL THEN 1 ELSE 0 END,
			"closed_issues" = "closed_issues" + CASE WHEN TG_OP <> 'DELETE' AND NOT NEW."is_pull" AND NEW."closed_at" IS NOT NULL THEN 1 ELSE 0 END
				- CASE WHEN TG_OP <> 'INSERT' AND NOT OLD."is_pull" AND OLD."closed_at" IS NOT NULL THEN 1 ELSE 0 END,
			"open_pulls" = "open_pulls" + CASE WHEN TG_OP <> 'DELETE' AND NEW."is_pull" AND NEW."closed_at" IS NULL THEN 1 ELSE 0 END
				- CASE WHEN TG_OP <> 'INSERT' AND OLD."is_pull" AND OLD."closed_at" IS NULL THEN 1 ELSE 0 END,
			"closed_pulls" = "closed_pulls" + CASE WHEN TG_OP <> 'DELETE' AND NEW."is_pull" AND NEW."closed_at" IS NOT NULL THEN 1 ELSE 0 END
				- CASE WHEN TG_OP <> 'INSERT' AND OLD."is_pull" AND OLD."closed_at" IS NOT NULL THEN 1 ELSE 0 END
			WHERE "repository_id" = coalesce(NEW."repository_id", OLD."repository_id");
	END IF;
	-- In the order of ids, so that two who exchange the milestones of two issues do not wait for each other.
	PERFORM FROM "milestone" WHERE "id" IN (OLD."milestone_id", NEW."milestone_id") ORDER BY "id" FOR NO KEY UPDATE;
	IF TG_OP <> 'INSERT' AND OLD."milestone_id" IS NOT NULL THEN
		UPDATE "milestone" SET
			"open_issues" = "open_issues" - CASE WHEN OLD."closed_at" IS NULL THEN 1 ELSE 0 END,
			"closed_issues" = "closed_issues" - CASE WHEN OLD."closed_at" IS NULL THEN 0 ELSE 1 END
			WHERE "id" = OLD."milestone_id";
	END IF;
	IF TG_OP <> 'DELETE' AND NEW."milestone_id" IS NOT NULL THEN
		UPDATE "milestone" SET
			"open_issues" = "open_issues" + CASE WHEN NEW."closed_at" IS NULL THEN 1 ELSE 0 END,
			"closed_issues" = "closed_issues" + CASE WHEN NEW."closed_at" IS NULL THEN 0 ELSE 1 END
			WHERE "id" = NEW."milestone_id";
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "issue_counted" AFTER INSERT OR DELETE OR UPDATE OF "closed_at", "milestone_id" ON "issue" FOR EACH ROW EXECUTE FUNCTION "count_issue"();

CREATE OR REPLACE FUNCTION "note_issue_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "add_list_total"('issue-change', 0, 0::smallint, 1);
	RETURN NULL;
END $$;

-- Everything that decides whether, where and in which order a search for words finds an issue.
CREATE OR REPLACE TRIGGER "issue_found_otherwise" AFTER INSERT OR DELETE OR UPDATE OF "repository_id", "is_pull", "title", "body", "closed_at", "created_at" ON "issue"
	FOR EACH STATEMENT EXECUTE FUNCTION "note_issue_change"();

CREATE OR REPLACE TRIGGER "comment_found_otherwise" AFTER UPDATE OF "body", "pending" ON "comment" FOR EACH ROW
	WHEN (OLD."body" <> NEW."body" OR OLD."pending" <> NEW."pending") EXECUTE FUNCTION "note_issue_change"();

-- The lock: whoever closes the issue at the same time must either see this row or be seen by it.
CREATE OR REPLACE FUNCTION "set_issue_of_label"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	SELECT "repository_id", "is_pull", "closed_at" IS NULL, "created_at"
		INTO NEW."repository_id", NEW."is_pull", NEW."is_open", NEW."created_at"
		FROM "issue" WHERE "id" = NEW."issue_id" FOR NO KEY UPDATE;
	RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "issue_labelled" BEFORE INSERT ON "issue_label" FOR EACH ROW EXECUTE FUNCTION "set_issue_of_label"();

CREATE OR REPLACE FUNCTION "follow_issue_of_label"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "issue_label" SET "repository_id" = NEW."repository_id", "is_pull" = NEW."is_pull", "is_open" = NEW."closed_at" IS NULL, "created_at" = NEW."created_at"
		WHERE "issue_id" = NEW."id";
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "labelled_issue_changed" AFTER UPDATE OF "repository_id", "is_pull", "closed_at", "created_at" ON "issue" FOR EACH ROW
	WHEN ((OLD."closed_at" IS NULL) <> (NEW."closed_at" IS NULL) OR OLD."repository_id" <> NEW."repository_id"
		OR OLD."is_pull" <> NEW."is_pull" OR OLD."created_at" <> NEW."created_at")
	EXECUTE FUNCTION "follow_issue_of_label"();
