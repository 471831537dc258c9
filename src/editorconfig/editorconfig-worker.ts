import { messageOf } from "../lib/errors.ts";
import { answerMessages } from "../lib/worker-scope.ts";
import type { FromEditorconfigWorker, ToEditorconfigWorker } from "./editorconfig-reader.ts";
import { readDefinition } from "./read-definition.ts";

function read({ path, files }: ToEditorconfigWorker): FromEditorconfigWorker {
  try {
    return { definition: readDefinition(path, files) };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

answerMessages(read);
