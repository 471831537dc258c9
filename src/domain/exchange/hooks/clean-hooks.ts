import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { deleteLeftEvents, deleteLeftHooks, deleteOldDeliveries } from "./clean-queries.ts";

const rowsAtOnce = 1000;

/** Removes the history of deliveries after `webhooks.history_days`, and the webhooks of what is gone; some at a time, to lock few. */
export async function cleanHooks({ change, config }: Forge, signal: AbortSignal): Promise<number> {
  const steps: ((work: Work) => Promise<number>)[] = [
    ({ tx }) => deleteOldDeliveries(tx, config.webhooks.history_days, rowsAtOnce),
    ({ tx }) => deleteLeftHooks(tx, rowsAtOnce),
    ({ tx }) => deleteLeftEvents(tx, rowsAtOnce),
  ];
  let removed = 0;
  for (const step of steps) {
    for (let some = 1; some > 0 && !signal.aborted; removed += some) {
      some = await change(serverDoer("clean_hooks"), step);
    }
  }
  return removed;
}
