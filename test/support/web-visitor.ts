/** A page, read to its end. */
export interface WebPage {
  status: number;
  headers: Headers;
  text: string;
  /** Where it redirects to; empty when it does not. */
  location: string;
}

/** Somebody with a browser that knows cookies and forms, and nothing else. */
export class WebVisitor {
  /** The cookies that pages set, by their names. */
  private readonly jar = new Map<string, string>();

  constructor(
    private readonly url: string,
    /** Sent with every request, such as Origin. */
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The header that sends them; empty for none. */
  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  set cookie(header: string) {
    this.jar.clear();
    for (const pair of header.split("; ").filter((one) => one !== "")) {
      this.keep(pair);
    }
  }

  private keep(pair: string): void {
    const at = pair.indexOf("=");
    this.jar.set(pair.slice(0, at), pair.slice(at + 1));
  }

  async request(
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: string | FormData } = {},
  ): Promise<WebPage> {
    const headers = { ...(this.cookie === "" ? {} : { cookie: this.cookie }), ...this.headers, ...init.headers };
    const response = await fetch(path.startsWith("http") ? path : this.url + path, {
      method,
      redirect: "manual",
      headers,
      ...(init.body === undefined ? {} : { body: init.body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      if (/Max-Age=0(;|$)/.test(cookie)) {
        this.jar.delete(pair.split("=")[0] ?? "");
      } else {
        this.keep(pair);
      }
    }
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get("location") ?? "",
    };
  }

  get(path: string): Promise<WebPage> {
    return this.request("GET", path);
  }

  post(
    path: string,
    fields: Record<string, string | string[]>,
    headers: Record<string, string> = {},
  ): Promise<WebPage> {
    const body = new URLSearchParams(
      Object.entries(fields).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, one] satisfies [string, string]),
      ),
    );
    return this.request("POST", path, {
      body: body.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  }

  /** Loads a page and sends its form that goes to `action` (the page itself, if not given), with its hidden fields and these. */
  async submit(path: string, fields: Record<string, string | string[]>, action?: string): Promise<WebPage> {
    const page = await this.get(path);
    const target = action ?? path.split("?")[0] ?? path;
    return this.post(target, { ...hiddenFields(page.text, target), ...fields });
  }

  /**
   * Sends a form to an address with the hidden fields that it has on a page. Where the page does not offer the form, its sender makes it of
   * another one.
   */
  async send(from: string, to: string, fields: Record<string, string | string[]>): Promise<WebPage> {
    const shown = await this.get(from);
    const form = shown.text.includes(`action="${to}"`) ? to : "/user/logout";
    return this.post(to, { ...hiddenFields(shown.text, form), ...fields });
  }

  async signIn(name: string, password: string): Promise<WebPage> {
    return this.submit("/user/login", { user_name: name, password });
  }
}

/** What two answers may differ in although they say the same: the address asked for, and the masked tokens of forms. */
export function comparable(text: string): string {
  return text.replaceAll(/redirect_to=[^"]*/g, "").replaceAll(/name="_csrf" value="[^"]*"/g, "");
}

function unescape(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** The hidden fields of a page's form that goes to this address. Throws when there is no such form. */
export function hiddenFields(page: string, action: string): Record<string, string> {
  const form = page
    .split("<form ")
    .slice(1)
    .find((text) => text.includes(`action="${action}"`));
  if (form === undefined) {
    throw new Error(`The page has no form to ${action}: ${page}`);
  }
  const [inside = ""] = form.split("</form>");
  const fields: Record<string, string> = {};
  for (const [, name = "", value = ""] of inside.matchAll(
    /<input\s+type="hidden"\s+name="([^"]*)"\s+value="([^"]*)"\s*\/?>/g,
  )) {
    fields[name] = unescape(value);
  }
  return fields;
}
