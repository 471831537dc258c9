import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /repos/{owner}/{repo}/transfer": { may: "owner", onArchived: "works" },
  // To whom it is offered decides the use case (test/api/repos/transfer.test.ts).
  "POST /repos/{owner}/{repo}/transfer/accept": { may: "read signed-in", onArchived: "works" },
  "POST /repos/{owner}/{repo}/transfer/reject": { may: "read signed-in", onArchived: "works" },
};
