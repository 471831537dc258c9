import { startReleaseFiles } from "./release-files.ts";

startReleaseFiles();
