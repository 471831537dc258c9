import type { RepositoryAccess } from "../../../auth/subject.ts";
import { holdTexts } from "../../identity/quota/hold-quota.ts";
import type { Work } from "../../spine/work.ts";
import { isGuest } from "./access.ts";

/** Refuses a text that was written in this transaction if the share of the one who wrote it is full. Throws QuotaExceeded. */
export function holdTextsBy(work: Work, access: RepositoryAccess): Promise<void> {
  return holdTexts(work, access.owner, isGuest(access) ? "guests" : "owner");
}
