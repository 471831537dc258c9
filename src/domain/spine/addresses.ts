/** Paths that need no encoding, which are most of them: a directory of 1,000 entries asks 5,000 times. */
const plain = /^[\w./~-]*$/;
/** A plain name without a slash. */
const plainName = /^[\w.~-]*$/;

/** Encodes each segment of a path and keeps the slashes between them. */
function encodePath(path: string): string {
  if (plain.test(path)) {
    return path;
  }
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Encodes one segment of a path. */
function encodeName(name: string): string {
  return plainName.test(name) ? name : encodeURIComponent(name);
}

/** Where SSH is offered. An empty host means the host of the base URL. */
interface SshPlace {
  user: string;
  host: string;
  port: number;
}

/**
 * Builds every URL that a response contains. The base URL is set when the server listens, because port 0 takes a free
 * port.
 *
 * Responses to HTTP requests may follow the address by which the client called (`following`). What is stored, mailed,
 * signed or compared must not depend on a header of a client: it is built with `own`.
 */
export class Addresses {
  private place: { base: string; ssh: SshPlace | null };
  /** The URLs below `server.base_url`, or below the address that the server listens on if there is none. */
  readonly own: Addresses;

  constructor(
    baseUrl: string,
    private readonly calledAt: () => string | null = () => null,
    own: Addresses | null = null,
  ) {
    this.own = own ?? this;
    this.place = own?.place ?? { base: baseUrl, ssh: null };
  }

  /** Returns the same URLs for responses: below `calledAt()` where that is not null. */
  following(calledAt: () => string | null): Addresses {
    return new Addresses("", calledAt, this.own);
  }

  get base(): string {
    return this.calledAt() ?? this.place.base;
  }

  setBase(url: string): void {
    this.place.base = url;
  }

  setSsh(at: SshPlace): void {
    this.place.ssh = at;
  }

  /** Where an owner's registry of a format is. */
  packages(owner: string, type: string): string {
    return `${this.base}/api/packages/${encodeURIComponent(owner)}/${type}`;
  }

  /** The page of a version of a package. */
  packageVersion(owner: string, type: string, name: string, version: string): string {
    return `${this.owner(owner)}/-/packages/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
  }

  /** For example `ssh://git@example.org:2222`; null if SSH is off. */
  get sshBase(): string | null {
    if (this.place.ssh === null) {
      return null;
    }
    const { user, host, port } = this.place.ssh;
    const name = host === "" ? new URL(this.base).hostname : host.includes(":") ? `[${host}]` : host;
    return `ssh://${user}@${name}:${port}`;
  }

  /**
   * Returns a repository's URL for git over SSH, in the short form if the port is 22, or an empty string if SSH is off.
   */
  sshClone(owner: string, name: string): string {
    const base = this.sshBase;
    if (base === null) {
      return "";
    }
    return base.endsWith(":22")
      ? `${base.slice("ssh://".length, -":22".length)}:${owner}/${name}.git`
      : `${base}/${owner}/${name}.git`;
  }

  /** The host of the server's own base URL, which is the domain of generated e-mail addresses. */
  get hostname(): string {
    return new URL(this.place.base).hostname;
  }

  api(path: string): string {
    return `${this.base}/api/v1${path}`;
  }

  documentation(): string {
    return `${this.base}/api/swagger`;
  }

  owner(name: string): string {
    return `${this.base}/${encodeName(name)}`;
  }

  /**
   * Returns the URL of an owner's avatar: the uploaded picture by its hash, else one that is generated from the name.
   */
  avatar({ lowerName, avatarSha256 }: { lowerName: string; avatarSha256: Uint8Array | null }): string {
    return `${this.base}/avatars/${avatarSha256 === null ? encodeURIComponent(lowerName) : Buffer.from(avatarSha256).toString("hex")}`;
  }

  /** Returns the URL of the page that verifies an e-mail address. A mail contains the token. */
  verifyEmail(token: string): string {
    return `${this.base}/user/verify-email?token=${encodeURIComponent(token)}`;
  }

  /** Returns the URL of the page that sets a new password for a user who forgot theirs. */
  resetPassword(token: string): string {
    return `${this.base}/user/reset-password?token=${encodeURIComponent(token)}`;
  }

  /** Returns the URL at which the mails about an issue end. A mail contains the token. */
  unsubscribe(token: string): string {
    return `${this.base}/user/unsubscribe?token=${encodeURIComponent(token)}`;
  }

  /** Returns the URL of the page on which somebody chooses which mails they get. */
  mailSettings(): string {
    return `${this.base}/user/settings/notifications`;
  }

  /** Returns the URL of the page that lists what somebody has had brought from elsewhere. */
  migrations(): string {
    return `${this.base}/user/settings/migrations`;
  }

  repository(owner: string, name: string): string {
    return `${this.base}/${encodeName(owner)}/${encodeName(name)}`;
  }

  clone(owner: string, name: string): string {
    return `${this.repository(owner, name)}.git`;
  }

  repositoryApi(owner: string, name: string, path = ""): string {
    return this.api(`/repos/${encodeName(owner)}/${encodeName(name)}${path}`);
  }

  organizationApi(name: string, path: string): string {
    return this.api(`/orgs/${encodeName(name)}${path}`);
  }

  /** Returns the URL of the page of a file or directory. `kind` is branch, tag or commit. */
  source(owner: string, name: string, kind: "branch" | "tag" | "commit", ref: string, path: string): string {
    return `${this.repository(owner, name)}/src/${kind}/${encodePath(ref)}/${encodePath(path)}`;
  }

  commit(owner: string, name: string, oid: string): string {
    return `${this.repository(owner, name)}/commit/${oid}`;
  }

  /** Returns the URL of a page of a repository's wiki. `path` is the page's own, without its encoding for addresses. */
  wikiPage(owner: string, name: string, path: string): string {
    return `${this.repository(owner, name)}/wiki/${encodeURIComponent(path)}`;
  }

  /** Returns the API URL of a git object. `name` may be a ref; its slashes are kept. */
  gitApi(owner: string, name: string, kind: "commits" | "trees" | "blobs" | "tags" | "refs", object: string): string {
    return this.repositoryApi(owner, name, `/git/${kind}/${encodePath(object)}`);
  }

  /** Returns the API URL of a file's bytes. */
  rawApi(owner: string, name: string, path: string, ref: string): string {
    return `${this.repositoryApi(owner, name)}/raw/${encodePath(path)}?ref=${encodeURIComponent(ref)}`;
  }

  /** Returns the API URL of an archive of a commit. The format is zip or tar.gz. */
  archiveApi(owner: string, name: string, ref: string, format: "zip" | "tar.gz"): string {
    return this.repositoryApi(owner, name, `/archive/${encodePath(ref)}.${format}`);
  }

  /** Returns the URL of the page of an issue. */
  issue(owner: string, name: string, number: number): string {
    return `${this.repository(owner, name)}/issues/${number}`;
  }

  /** Returns the URL of the page of an issue or a pull request. */
  discussion(owner: string, name: string, { number, isPull }: { number: number; isPull: boolean }): string {
    return isPull ? `${this.repository(owner, name)}/pulls/${number}` : this.issue(owner, name, number);
  }

  /** Returns the URL of the page that compares a branch with a base and offers to open a pull request. `owner`: of the fork that has the head. */
  compare(owner: string, name: string, base: string, head: { owner: string | null; branch: string }): string {
    const fork = head.owner === null ? "" : `${encodeName(head.owner)}:`;
    return `${this.repository(owner, name)}/compare/${encodePath(base)}...${fork}${encodePath(head.branch)}`;
  }

  /** Returns the URL of the page of a release. */
  release(owner: string, name: string, tag: string): string {
    return `${this.repository(owner, name)}/releases/tag/${encodePath(tag)}`;
  }

  releaseApi(owner: string, name: string, id: number): string {
    return this.repositoryApi(owner, name, `/releases/${id}`);
  }

  /** Returns the API URL of an artifact. */
  artifactApi(owner: string, name: string, id: number): string {
    return this.repositoryApi(owner, name, `/actions/artifacts/${id}`);
  }

  /** Returns the API URL of the bytes of a file of a release. */
  releaseAssetApi(owner: string, name: string, releaseId: number, attachmentId: number): string {
    return `${this.releaseApi(owner, name, releaseId)}/assets/${attachmentId}/content`;
  }

  contentsApi(owner: string, name: string, path: string, ref: string): string {
    return `${this.repositoryApi(owner, name)}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`;
  }
}
