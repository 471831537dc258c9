/** An owner's Debian registry, as curl and apt use it. */
export class DebianRegistry {
  /** `server`: what has its address, without a final slash. `token` may be a password. */
  constructor(
    private readonly server: { readonly url: string },
    private readonly user: { readonly name: string; readonly token: string },
    readonly owner: string = user.name,
  ) {}

  get url(): string {
    return `${this.server.url}/api/packages/${this.owner}/debian`;
  }

  /** Credentials as `curl --user` sends them. */
  get headers(): Record<string, string> {
    return { authorization: `Basic ${btoa(`${this.user.name}:${this.user.token}`)}` };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}/${path}`, { headers });
  }

  async text(path: string): Promise<string> {
    const answer = await this.get(path);
    if (answer.status !== 200) {
      throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    }
    return answer.text();
  }

  put(deb: Uint8Array<ArrayBuffer>, place = "stable/main", headers = this.headers): Promise<Response> {
    return fetch(`${this.url}/pool/${place}/upload`, { method: "PUT", body: deb, headers });
  }

  /** Publishes a package. Throws unless it was taken. */
  async publish(deb: Uint8Array<ArrayBuffer>, place = "stable/main"): Promise<void> {
    const answer = await this.put(deb, place);
    if (answer.status !== 201) {
      throw new Error(`${place}: ${answer.status} ${await answer.text()}`);
    }
  }

  delete(path: string): Promise<Response> {
    return fetch(`${this.url}/pool/${path}`, { method: "DELETE", headers: this.headers });
  }
}
