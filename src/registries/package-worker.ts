import { answerMessages } from "../lib/worker-scope.ts";
import { readPackageFile } from "./package-readings.ts";

answerMessages(readPackageFile);
