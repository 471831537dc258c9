import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";

/** Most topics of one repository. */
export const maxTopics = 25;
const longestTopic = 35;
const topicName = /^[a-z0-9][a-z0-9.-]*$/;

/** Returns the name as it is stored: in lower case, without spaces around it. Throws InvalidInput for what is no name of a topic. */
export function readTopicName(written: string): string {
  const name = written.trim().toLowerCase();
  if (name.length > longestTopic || !topicName.test(name)) {
    throw new InvalidInput(
      `A topic has at most ${longestTopic} letters, digits, "-" and ".", and begins with a letter or digit; "${clip(written, 80)}" does not fit`,
      "topic",
    );
  }
  return name;
}

/** Returns the names as they are stored, each once, in their order. Throws InvalidInput for a bad name and for too many. */
export function readTopicNames(written: readonly string[]): string[] {
  const names = [...new Set(written.map(readTopicName))];
  checkNumber(names.length);
  return names;
}

/** Throws InvalidInput for more topics than a repository can have. */
export function checkNumber(topics: number): void {
  if (topics > maxTopics) {
    throw new InvalidInput(`A repository has at most ${maxTopics} topics, not ${topics}`, "topics");
  }
}
