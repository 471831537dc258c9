import type { FindSubject } from "../auth/find-subject.ts";
import type { Identify } from "../auth/identify/identify.ts";
import type { IdentifyKey } from "../auth/identify/identify-key.ts";
import type { IdentifySession } from "../auth/identify/identify-session.ts";
import type { LastUse } from "../auth/last-use.ts";
import type { PasswordChecker } from "../auth/password.ts";
import type { CheckCode } from "../auth/second-factor.ts";
import type { CheckSignIn } from "../auth/sign-in.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Config } from "../config/config.ts";
import type { DatabaseClient } from "../db/client.ts";
import type { GitEngine } from "../git/engine.ts";
import type { Logger } from "../lib/log.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { MarkdownRenderer } from "../markdown/renderer.ts";
import type { Addresses } from "./addresses.ts";
import type { Archives } from "./archives/archives.ts";
import type { CommitReader } from "./commits/commit-reader.ts";
import type { ContentReader } from "./contents/content-reader.ts";
import type { RegularTasks } from "./maintenance/regular-tasks.ts";
import type { RepositoryViews } from "./packs/repository-views.ts";
import type { FindRenamedOwner } from "./owners/queries.ts";
import type { RefQueries } from "./refs/queries.ts";
import type { SignatureVerifier } from "./signatures/verify-signatures.ts";
import type { FindRedirect } from "./repos/queries.ts";
import type { MailAllowance } from "./users/mail-allowance.ts";
import type { Revisions } from "./refs/revisions.ts";

/** What every surface and use case works with. Built once, in the composition root. */
export interface Forge {
  readonly config: Config;
  readonly log: Logger;
  readonly database: DatabaseClient;
  readonly git: GitEngine;
  /** What the engine has to know of a repository. */
  readonly views: RepositoryViews;
  readonly refs: RefQueries;
  /** Who had this name before. */
  readonly findRenamedOwner: FindRenamedOwner;
  /** Where repositories went that had another name before. */
  readonly findRedirect: FindRedirect;
  /** From names of branches, tags and commits to objects. */
  readonly revisions: Revisions;
  readonly archives: Archives;
  readonly commits: CommitReader;
  /** Whether commits and tags were signed by users whose keys are known. */
  readonly signatures: SignatureVerifier;
  readonly contents: ContentReader;
  readonly markdown: MarkdownRenderer;
  readonly identify: Identify;
  readonly identifyKey: IdentifyKey;
  readonly identifySession: IdentifySession;
  readonly checkSignIn: CheckSignIn;
  readonly checkCode: CheckCode;
  /** Seals secrets that have to be read again, such as those of second factors. */
  readonly sealKey: Uint8Array;
  readonly lastUse: LastUse;
  /** Who is it and what may they, for those whose credential was checked elsewhere. */
  readonly findSubject: FindSubject;
  readonly passwords: PasswordChecker;
  readonly addresses: Addresses;
  /** Signs the tokens of LFS. */
  readonly lfsKey: Uint8Array;
  /** Signs the forms of pages. */
  readonly webKey: Uint8Array;
  readonly mailer: Mailer;
  /** Bounds the mails that users have sent to addresses that they name. */
  readonly mailAllowance: MailAllowance;
  /** What is done every hour. */
  readonly tasks: RegularTasks;
  /** Files that are not git's, such as LFS objects. */
  readonly blobs: BlobStore;
  /** Absolute directory of the pack files: `<aa>/<checksum>.pack`. */
  readonly packDirectory: string;
  /** Absolute directory of files that are being written. Emptied at start. */
  readonly temporaryDirectory: string;
}
