import { answerMessages } from "../worker-scope.ts";
import { parseYaml } from "./parse-yaml.ts";

answerMessages(parseYaml);
