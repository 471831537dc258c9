import { recordActivities } from "../work/activities/record.ts";
import { forgetDownloads } from "../git/archives/count-downloads.ts";
import { recordEntries } from "../work/comments/record-entries.ts";
import { copyHooks } from "../exchange/hooks/copy-hooks.ts";
import { hideHeaders } from "../exchange/hooks/hide-headers.ts";
import { followDefaultBranch } from "../git/languages/count-languages.ts";
import { followParent } from "../repos/forks/follow-parent.ts";
import { mailOfEvent } from "../work/issue-mail/follow-events.ts";
import { leaveFormerLabels } from "../work/labels/leave-former-labels.ts";
import { followCommits } from "../work/references/follow-commits.ts";
import { recordReferences } from "../work/references/record-references.ts";
import { acceptBytes } from "../identity/quota/accept-bytes.ts";
import { holdQuota } from "../identity/quota/hold-quota.ts";
import { leaveLists } from "../git/protections/leave-lists.ts";
import type { Event } from "../spine/events.ts";
import { followPushes } from "../exchange/mirrors/request-sync.ts";
import { notifyOfEvent } from "../work/notifications/notify.ts";
import { followPackages } from "../packages/follow-packages.ts";
import { followIssues } from "../work/pulls/follow-issues.ts";
import { followRefs } from "../work/pulls/follow-refs.ts";
import { askOwnersOfPulls } from "../work/reviews/ask-code-owners.ts";
import { followHeads } from "../work/reviews/follow-pull.ts";
import { unpublishWithTags } from "../repos/releases/unpublish.ts";
import { cancelTransfer } from "../repos/transfers/cancel-transfer.ts";
import { followRecipients } from "../repos/transfers/follow-recipients.ts";
import { refreshPages } from "./live/refresh-pages.ts";
import { followMergesByHand } from "../work/merges/detect-merges.ts";
import { wakeMerges } from "../work/merges/wake-merges.ts";
import type { Work } from "../spine/work.ts";

/**
 * Hears everything that happens, inside the transaction in which it happens, and picks what it is about by `event.kind`.
 * Its writes commit with the change, or neither does. It may tell more (`work.tell`).
 */
export type Subscriber = (work: Work, event: Event) => Promise<void> | void;

/**
 * All subscribers, in the order in which they run. A noun that reacts to another one is listed here, so that the two
 * need not import each other.
 */
export const subscribers: readonly Subscriber[] = [
  holdQuota,
  recordActivities,
  recordEntries,
  recordReferences,
  followCommits,
  leaveLists,
  leaveFormerLabels,
  hideHeaders,
  cancelTransfer,
  followRecipients,
  unpublishWithTags,
  forgetDownloads,
  followParent,
  followDefaultBranch,
  followPackages,
  followRefs,
  followIssues,
  followHeads,
  askOwnersOfPulls,
  followMergesByHand,
  wakeMerges,
  followPushes,
  notifyOfEvent,
  copyHooks,
  mailOfEvent,
  refreshPages,
  // The last one: it locks the owner's usage.
  acceptBytes,
];
