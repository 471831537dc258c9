import { recordActivities } from "./activities/record.ts";
import { forgetDownloads } from "./archives/count-downloads.ts";
import { recordEntries } from "./comments/record-entries.ts";
import { copyHooks } from "./hooks/copy-hooks.ts";
import { hideHeaders } from "./hooks/hide-headers.ts";
import { followDefaultBranch } from "./languages/count-languages.ts";
import { followParent } from "./forks/follow-parent.ts";
import { mailOfEvent } from "./issue-mail/follow-events.ts";
import { leaveFormerLabels } from "./labels/leave-former-labels.ts";
import { followCommits } from "./references/follow-commits.ts";
import { recordReferences } from "./references/record-references.ts";
import { acceptBytes } from "./quota/accept-bytes.ts";
import { holdQuota } from "./quota/hold-quota.ts";
import { leaveLists } from "./protections/leave-lists.ts";
import type { Event } from "./events.ts";
import { followPushes } from "./mirrors/request-sync.ts";
import { notifyOfEvent } from "./notifications/notify.ts";
import { followPackages } from "./packages/follow-packages.ts";
import { followIssues } from "./pulls/follow-issues.ts";
import { followRefs } from "./pulls/follow-refs.ts";
import { askOwnersOfPulls } from "./reviews/ask-code-owners.ts";
import { followHeads } from "./reviews/follow-pull.ts";
import { unpublishWithTags } from "./releases/unpublish.ts";
import { cancelTransfer } from "./transfers/cancel-transfer.ts";
import { followRecipients } from "./transfers/follow-recipients.ts";
import { followMergesByHand } from "./merges/detect-merges.ts";
import { wakeMerges } from "./merges/wake-merges.ts";
import type { Work } from "./work.ts";

/**
 * Hears everything that happens, inside the transaction in which it happens, and picks what it is about by `event.kind`.
 * What it writes is there with the change, or neither is. It may tell more (`work.tell`).
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
  // The last one: it locks the owner's usage.
  acceptBytes,
];
