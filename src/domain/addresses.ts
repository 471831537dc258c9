/** Encodes each segment of a path and keeps the slashes between them. */
function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/**
 * Every address that an answer contains, in one place. The base is known only once the server listens
 * (port 0 takes a free one), so it is set then.
 */
export class Addresses {
  constructor(private baseUrl: string) {}

  get base(): string {
    return this.baseUrl;
  }

  setBase(url: string): void {
    this.baseUrl = url;
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

  avatar(ownerName: string): string {
    return `${this.baseUrl}/avatars/${encodeURIComponent(ownerName.toLowerCase())}`;
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

  raw(owner: string, name: string, kind: "branch" | "tag" | "commit", ref: string, path: string): string {
    return `${this.repository(owner, name)}/raw/${kind}/${encodePath(ref)}/${encodePath(path)}`;
  }

  contentsApi(owner: string, name: string, path: string, ref: string): string {
    return `${this.repositoryApi(owner, name)}/contents/${encodePath(path)}?ref=${encodeURIComponent(ref)}`;
  }
}
