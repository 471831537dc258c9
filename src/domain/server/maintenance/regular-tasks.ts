import { newJob } from "../../../queue/enqueue.ts";
import type { JobPayload } from "../../../queue/job-kind.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { insertTaskRun, listTaskRuns } from "./task-queries.ts";
import { standardTasks } from "./standard-tasks.ts";

/** The minute of every hour at which the tasks run: `everyHourJob` has it in its schedule. */
export const minuteOfTheHour = 17;

/** The history of a task, in all processes and since the database was made. */
export interface TaskState {
  name: string;
  runs: number;
  /** null: it has not run. */
  previous: Date | null;
  /** null: it runs only when somebody asks for it. */
  next: Date | null;
}

/** The tasks in the order in which they run. */
export async function listRegularTasks({ database, config }: Forge, now = new Date()): Promise<TaskState[]> {
  const rows = new Map((await listTaskRuns(database.db)).map((row) => [row.name, row]));
  const next = config.ephemeral ? null : nextRun(now);
  return standardTasks.map(({ name }) => {
    const row = rows.get(name);
    return { name, runs: row?.runs ?? 0, previous: row?.previousAt ?? null, next };
  });
}

function nextRun(now: Date): Date {
  const next = new Date(now);
  next.setUTCMinutes(minuteOfTheHour, 0, 0);
  if (next <= now) {
    next.setUTCHours(next.getUTCHours() + 1);
  }
  return next;
}

export function isRegularTask(name: string): boolean {
  return standardTasks.some((task) => task.name === name);
}

/** Has a task run soon. Asked for again before it begins, it runs once. */
export async function requestRegularTask(work: Work, task: string): Promise<void> {
  await work.enqueue(newJob("regular-task", { task }, { key: task }));
}

/** Has all tasks run, one after another: none of them is in a hurry. */
export async function requestAllRegularTasks(work: Work): Promise<void> {
  for (const { name } of standardTasks) {
    await requestRegularTask(work, name);
  }
}

/** Runs a task; one of another version, that this one does not know, is left alone. */
export async function runRegularTask(
  forge: Forge,
  { task: name }: JobPayload<"regular-task">,
  signal: AbortSignal,
): Promise<void> {
  const task = standardTasks.find((one) => one.name === name);
  if (task === undefined) {
    return;
  }
  const started = new Date();
  try {
    const done = await task.run(forge, signal);
    if (done > 0) {
      forge.log.debug({ task: name, done }, "Did what is done every hour");
    }
  } finally {
    await forge.change(serverDoer(name), (work) => insertTaskRun(work.tx, name, started));
  }
}
