import sanitizeHtml from "sanitize-html";
import { withoutMarks } from "./references.ts";

/** Absolute addresses, each with a final slash. */
export interface LinkBase {
  /** Where links lead to pages. */
  pages: string;
  /** Where images and other files come from. */
  files: string;
  /** The base of addresses with a leading slash, if it is another one. */
  top?: { pages: string; files: string };
  /** The address of the server, where the files of texts are at `/attachments/`. */
  server?: string;
}

interface SanitizeOptions {
  base: LinkBase | null;
  /** "links": a picture is a link to it. */
  pictures: "links" | undefined;
  /** Put before every id, and before every link to one. */
  idPrefix: string;
}

type Attributes = Record<string, string>;

function mapValues(attributes: Attributes, change: (value: string) => string): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, change(value)]));
}

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

const tags = [
  ...headings,
  "a",
  "abbr",
  "b",
  "blockquote",
  "br",
  "caption",
  "cite",
  "code",
  "col",
  "colgroup",
  "dd",
  "del",
  "details",
  "dfn",
  "div",
  "dl",
  "dt",
  "em",
  "figcaption",
  "figure",
  "hr",
  "i",
  "img",
  "input",
  "ins",
  "kbd",
  "li",
  "mark",
  "ol",
  "p",
  "pre",
  "q",
  "rp",
  "rt",
  "ruby",
  "s",
  "samp",
  "section",
  "small",
  "span",
  "strong",
  "sub",
  "summary",
  "sup",
  "table",
  "tbody",
  "td",
  "tfoot",
  "th",
  "thead",
  "time",
  "tr",
  "tt",
  "u",
  "ul",
  "var",
  "wbr",
];

const attachment = /^\/attachments\/[0-9a-f-]{36}$/;

/** A relative address begins with neither a scheme nor `//` nor `#`. A leading slash means the top. */
function resolve(address: string, base: LinkBase | null, kind: "pages" | "files"): string {
  if (base === null || /^([a-z][a-z0-9+.-]*:|\/\/|#)/i.test(address.trim())) {
    return address;
  }
  if (base.server !== undefined && attachment.test(address)) {
    return base.server + address;
  }
  const from = address.trim().startsWith("/") ? (base.top ?? base) : base;
  return URL.parse(address.trim().replace(/^\/+/, ""), from[kind])?.href ?? address;
}

function linkTo(attributes: Attributes, { base, idPrefix }: SanitizeOptions): Attributes {
  const { href } = attributes;
  if (href === undefined) {
    return attributes;
  }
  const fragment =
    href.startsWith("#") && href.length > 1 && !href.startsWith(`#${idPrefix}`) ? `#${idPrefix}${href.slice(1)}` : null;
  return { ...attributes, href: fragment ?? resolve(href, base, "pages"), rel: "nofollow" };
}

function withPrefixedId(attributes: Attributes, idPrefix: string): Attributes {
  const changed = { ...attributes };
  for (const name of ["id", "aria-describedby"]) {
    const value = attributes[name];
    if (value !== undefined && !value.startsWith(idPrefix)) {
      changed[name] = idPrefix + value;
    }
  }
  return changed;
}

/**
 * Lets through the markup of documents and nothing that runs, loads from elsewhere than http(s), or reaches out of its
 * place: no scripts, styles, frames, forms, SVG, event attributes, `javascript:` or `data:` addresses.
 */
export function sanitizeMarkup(html: string, options: SanitizeOptions): string {
  const { base, idPrefix } = options;
  return sanitizeHtml(html, {
    allowedTags: tags,
    allowedAttributes: {
      ...Object.fromEntries(headings.map((tag) => [tag, ["id", "align"]])),
      a: ["href", "title", "rel", "id", "aria-describedby", "aria-label"],
      li: ["id"],
      section: ["class"],
      i: ["class"],
      h2: ["id", "align", "class"],
      img: ["src", "alt", "title", "width", "height", "align"],
      input: ["type", "checked", "disabled", "aria-label"],
      code: ["class"],
      ol: ["start", "reversed"],
      details: ["open"],
      time: ["datetime"],
      p: ["align"],
      div: ["align"],
      td: ["align", "colspan", "rowspan"],
      th: ["align", "colspan", "rowspan", "scope"],
    },
    // Of code (see TokenClass) and of footnotes.
    allowedClasses: {
      code: [/^language-[\w+#.-]+$/],
      i: ["k", "s", "c", "n", "f", "t", "h", "a", "d"],
      section: ["footnotes"],
      h2: ["sr-only"],
    },
    allowedSchemes: ["http", "https", "mailto"],
    allowedSchemesByTag: { img: ["http", "https"] },
    allowProtocolRelative: true,
    transformTags: {
      "*": (tagName, attributes) => ({ tagName, attribs: mapValues(attributes, withoutMarks) }),
      li: (tagName, attributes) => ({ tagName, attribs: withPrefixedId(attributes, idPrefix) }),
      a: (tagName, attributes) => ({ tagName, attribs: withPrefixedId(linkTo(attributes, options), idPrefix) }),
      img: (tagName, attributes) => {
        const { src, alt = "" } = attributes;
        const address = src === undefined ? undefined : resolve(src, base, "files");
        if (options.pictures === "links") {
          const attribs: Attributes = address === undefined ? {} : { href: address, rel: "nofollow" };
          return { tagName: "a", attribs, text: withoutMarks(alt) || "picture" };
        }
        return { tagName, attribs: address === undefined ? attributes : { ...attributes, src: address } };
      },
      // Task lists only: a box that shows and cannot be used.
      input: (tagName, { checked }) => ({
        tagName,
        attribs: {
          type: "checkbox",
          ...(checked === undefined ? {} : { checked: "" }),
          disabled: "",
          "aria-label": checked === undefined ? "To do" : "Done",
        },
      }),
      ...Object.fromEntries(
        headings.map((tag) => [
          tag,
          (tagName: string, attributes: Attributes) => ({ tagName, attribs: withPrefixedId(attributes, idPrefix) }),
        ]),
      ),
    },
  });
}
