import type { RepositoryAccess } from "../../../auth/subject.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { lockRepositoryRow } from "../../spine/lock-queries.ts";
import { updateRepository } from "../queries.ts";
import type { Work } from "../../spine/work.ts";
import { checkNumber, readTopicName, readTopicNames } from "./topic-name.ts";

type Edited = Pick<RepositoryAccess, "repository" | "owner">;

/** Replaces all topics of a repository. Throws InvalidInput for a bad name and for too many topics, and NotFound. */
export async function replaceTopics(work: Work, access: Edited, topics: readonly string[]): Promise<void> {
  const names = readTopicNames(topics);
  await changeTopics(work, access, () => names);
}

/** Adds a topic behind the others; nothing happens if the repository has it. Throws InvalidInput, and NotFound. */
export async function addTopic(work: Work, access: Edited, topic: string): Promise<void> {
  const name = readTopicName(topic);
  await changeTopics(work, access, (topics) => (topics.includes(name) ? topics : [...topics, name]));
}

/** Takes a topic away. Throws InvalidInput for a bad name, and NotFound if the repository does not have it. */
export async function removeTopic(work: Work, access: Edited, topic: string): Promise<void> {
  const name = readTopicName(topic);
  await changeTopics(work, access, (topics) => {
    if (!topics.includes(name)) {
      throw new NotFound("topic", name);
    }
    return topics.filter((one) => one !== name);
  });
}

async function changeTopics(
  { tx, tell }: Work,
  { repository, owner }: Edited,
  change: (topics: readonly string[]) => readonly string[],
): Promise<void> {
  const current = await lockRepositoryRow(tx, repository.id);
  if (current === null) {
    throw new NotFound("repository", `${owner.name}/${repository.name}`);
  }
  const topics = change(current.topics);
  checkNumber(topics.length);
  if (topics.join("\n") === current.topics.join("\n")) {
    return;
  }
  await updateRepository(tx, repository.id, { topics: [...topics] });
  tell({ kind: "repository.edited", repository: namedRepository({ repository: current, owner }), changed: ["topics"] });
}
