import style from "./style.css" with { type: "text" };

/** The address holds a hash of the text, so what it names never changes. */
export const styleAddress = `/assets/stithy-${Bun.hash.xxHash3(style).toString(36)}.css`;

export function styleResponse(): Response {
  return new Response(style, {
    headers: {
      "content-type": "text/css; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    },
  });
}
