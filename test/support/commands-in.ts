/** The commands that a page shows in the element with this id, as its button copies them; an empty text if there are none. */
export function commandsIn(html: string, id: string): string {
  const [, text = ""] = new RegExp(`<pre id="${id}"[^>]*>([\\s\\S]*?)</pre>`).exec(html) ?? [];
  const characters = { "&quot;": '"', "&#x27;": "'", "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&" };
  return text.replaceAll(/&[^;]+;/g, (entity) => characters[entity as keyof typeof characters]);
}
