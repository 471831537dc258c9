-- Half of each page stays free, so that an update finds room on its page and writes no index: these rows are updated often,
-- and no index has the columns that change.
ALTER TABLE "latest_commit_status" SET (fillfactor = 50);
ALTER TABLE "commit_status_total" SET (fillfactor = 50);
ALTER TABLE "pull" SET (fillfactor = 50);
