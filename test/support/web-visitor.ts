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
  /** `name=value` of the one cookie that pages set; empty for none. */
  cookie = "";

  constructor(
    private readonly url: string,
    /** Sent with every request, such as Origin. */
    private readonly headers: Record<string, string> = {},
  ) {}

  async request(
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: string } = {},
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
      this.cookie = /Max-Age=0(;|$)/.test(cookie) ? "" : pair;
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

  async signIn(name: string, password: string): Promise<WebPage> {
    return this.submit("/user/login", { user_name: name, password });
  }
}

function unescape(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
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
