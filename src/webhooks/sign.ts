import { createHmac } from "node:crypto";

/** The data of a delivery's headers. */
export interface Signed {
  readonly uuid: string;
  /** As in the events of the hook, such as `issue_label`. */
  readonly type: string;
  readonly body: string;
  /** null: the hook has none, and nothing is signed. */
  readonly secret: Uint8Array | null;
}

/** The common name of several types, in the header that clients look at first. */
const eventOfType: Readonly<Record<string, string>> = {
  issue_assign: "issues",
  issue_label: "issues",
  issue_milestone: "issues",
  pull_request_assign: "pull_request",
  pull_request_label: "pull_request",
  pull_request_milestone: "pull_request",
  pull_request_sync: "pull_request",
  pull_request_review_request: "pull_request",
  pull_request_comment: "issue_comment",
  pull_request_review_approved: "pull_request_approved",
  pull_request_review_rejected: "pull_request_rejected",
  pull_request_review_comment: "pull_request_comment",
};

/** The names under which the family and GitHub tell the same. */
const families = ["Gitea", "Forgejo", "Gogs"];

/**
 * The headers of a delivery, as receivers written for Gitea, Forgejo, Gogs and GitHub look for them. The family's signature is the
 * HMAC-SHA256 of the body in hexadecimal digits with nothing before them; GitHub's has the name of the hash before it.
 */
export function headersOf({ uuid, type, body, secret }: Signed): Record<string, string> {
  const event = eventOfType[type] ?? type;
  const hmac = (hash: "sha1" | "sha256") =>
    secret === null ? null : createHmac(hash, secret).update(body).digest("hex");
  const [sha1, sha256] = [hmac("sha1"), hmac("sha256")];
  const headers: Record<string, string> = {};
  for (const name of [...families, "GitHub"]) {
    headers[`X-${name}-Delivery`] = uuid;
    headers[`X-${name}-Event`] = event;
    headers[`X-${name}-Event-Type`] = type;
  }
  if (sha1 !== null && sha256 !== null) {
    for (const name of families) {
      headers[`X-${name}-Signature`] = sha256;
    }
    headers["X-Hub-Signature"] = `sha1=${sha1}`;
    headers["X-Hub-Signature-256"] = `sha256=${sha256}`;
  }
  return headers;
}
