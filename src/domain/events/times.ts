import type { NamedIssue, NamedRepository } from "./names.ts";

/** What happens to the time that is spent on an issue or a pull request. */
export type TimeEvent =
  | {
      readonly kind: "stopwatch.started" | "stopwatch.cancelled";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
    }
  /** `byStopwatch`: a stopwatch measured it; else somebody entered it. */
  | {
      readonly kind: "time.tracked";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly time: { readonly id: number; readonly seconds: number };
      readonly byStopwatch: boolean;
    }
  | {
      readonly kind: "time.deleted";
      readonly repository: NamedRepository;
      readonly issue: NamedIssue;
      readonly seconds: number;
    };

/** Which of them go into the outbox (`../events.ts`). */
export const outboxedOfTimes: Readonly<Record<TimeEvent["kind"], boolean>> = {
  "stopwatch.started": false,
  "stopwatch.cancelled": false,
  "time.tracked": true,
  "time.deleted": true,
};
