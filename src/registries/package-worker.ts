import { lowerPriority } from "../lib/libc.ts";
import { answerMessages } from "../lib/worker-scope.ts";
import { readPackageFile } from "./package-readings.ts";

lowerPriority();
answerMessages(readPackageFile);
