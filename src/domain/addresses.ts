/** Encodes each segment of a path and keeps the slashes between them. */
function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/**
 * Every address that an answer contains, in one place. The base is known only once the server listens
 * (port 0 takes a free one), so it is set then.
 */
export class Addresses {
  private sshAt: { user: string; host: string; port: number } | null = null;

  constructor(private baseUrl: string) {}

  get base(): string {
    return this.baseUrl;
  }

  setBase(url: string): void {
    this.baseUrl = url;
  }

  /** Says where SSH is offered; an empty host is the one of the base. */
  setSsh(at: { user: string; host: string; port: number }): void {
    this.sshAt = at;
  }

  /** Such as `ssh://git@example.org:2222`; null where there is no SSH. */
  get sshBase(): string | null {
    if (this.sshAt === null) {
      return null;
    }
    const { user, host, port } = this.sshAt;
    const name = host === "" ? this.hostname : host.includes(":") ? `[${host}]` : host;
    return `ssh://${user}@${name}:${port}`;
  }

  /** A repository's address for git over SSH, in the short form where the port is SSH's own; empty where there is no SSH. */
  sshClone(owner: string, name: string): string {
    const base = this.sshBase;
    if (base === null) {
      return "";
    }
    return base.endsWith(":22") ? `${base.slice("ssh://".length, -":22".length)}:${owner}/${name}.git` : `${base}/${owner}/${name}.git`;
  }

  /** The host part of the base, for addresses that need an e-mail domain. */
  get hostname(): string {
    return new URL(this.baseUrl).hostname;
  }

  api(path: string): string {
    return `${this.baseUrl}/api/v1${path}`;
  }

  documentation(): string {
    return `${this.baseUrl}/api/swagger`;
  }

  owner(name: string): string {
    return `${this.baseUrl}/${encodeURIComponent(name)}`;
  }

  /** The picture of an owner: the uploaded one by its hash, else the one that is drawn from the name. */
  avatar({ lowerName, avatarSha256 }: { lowerName: string; avatarSha256: Uint8Array | null }): string {
    return `${this.baseUrl}/avatars/${avatarSha256 === null ? encodeURIComponent(lowerName) : Buffer.from(avatarSha256).toString("hex")}`;
  }

  /** The page that confirms an e-mail address; the token comes in a mail. */
  verifyEmail(token: string): string {
    return `${this.baseUrl}/user/verify-email?token=${encodeURIComponent(token)}`;
  }

  /** The page where somebody who forgot their password chooses another one. */
  resetPassword(token: string): string {
    return `${this.baseUrl}/user/reset-password?token=${encodeURIComponent(token)}`;
  }

  repository(owner: string, name: string): string {
    return `${this.baseUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  }

  clone(owner: string, name: string): string {
    return `${this.repository(owner, name)}.git`;
  }

  repositoryApi(owner: string, name: string, path = ""): string {
    return this.api(`/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}${path}`);
  }

  /** A file or directory as a person reads it. `kind` is branch, tag or commit. */
  source(owner: string, name: string, kind: "branch" | "tag" | "commit", ref: string, path: string): string {
    return `${this.repository(owner, name)}/src/${kind}/${encodePath(ref)}/${encodePath(path)}`;
  }

  commit(owner: string, name: string, oid: string): string {
    return `${this.repository(owner, name)}/commit/${oid}`;
  }

  /** An object of git; `name` may also be a ref, whose slashes stay. */
  gitApi(owner: string, name: string, kind: "commits" | "trees" | "blobs" | "tags" | "refs", object: string): string {
    return this.repositoryApi(owner, name, `/git/${kind}/${encodePath(object)}`);
  }

  /** The bytes of a file. */
  rawApi(owner: string, name: string, path: string, ref: string): string {
    return `${this.repositoryApi(owner, name)}/raw/${encodePath(path)}?ref=${encodeURIComponent(ref)}`;
  }

  /** A compressed archive of a commit; the format is zip or tar.gz. */
  archiveApi(owner: string, name: string, ref: string, format: "zip" | "tar.gz"): string {
    return this.repositoryApi(owner, name, `/archive/${encodePath(ref)}.${format}`);
  }

  contentsApi(owner: string, name: string, path: string, ref: string): string {
    return `${this.repositoryApi(owner, name)}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`;
  }
}
