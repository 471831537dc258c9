import { hiddenFields, type WebPage, type WebVisitor } from "./web-visitor.ts";

/** The names and values with which a form of a page would be sent as it stands. */
export function formOf(text: string, action: string): Record<string, string> {
  const inside = text
    .split("<form ")
    .slice(1)
    .map((one) => one.split("</form>")[0] ?? "")
    .find((one) => one.includes(`action="${action}"`));
  const fields: Record<string, string> = hiddenFields(text, action);
  for (const [tag] of (inside ?? "").matchAll(/<input [^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? "";
    const isBox = /type="(checkbox|radio)"/.test(tag);
    if (name !== "" && (!isBox || / checked/.test(tag)) && !tag.includes('type="hidden"')) {
      fields[name] = (/value="([^"]*)"/.exec(tag)?.[1] ?? "").replaceAll("&amp;", "&").replaceAll("&lt;", "<");
    }
  }
  for (const [, name = "", options = ""] of (inside ?? "").matchAll(
    /<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs,
  )) {
    fields[name] =
      /<option value="([^"]*)" selected/.exec(options)?.[1] ?? /<option value="([^"]*)"/.exec(options)?.[1] ?? "";
  }
  for (const [, name = "", value = ""] of (inside ?? "").matchAll(
    /<textarea[^>]* name="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/gs,
  )) {
    fields[name] = value;
  }
  return fields;
}

/** Opens a page and sends one of its forms with these changes; undefined: the field is not sent, as of a box that is not ticked. */
export async function sendForm(
  browser: WebVisitor,
  page: string,
  changes: Record<string, string | undefined>,
  action = page.split("?")[0] ?? page,
): Promise<WebPage> {
  const { text } = await browser.get(page);
  const fields = Object.entries({ ...formOf(text, action), ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return browser.post(action, Object.fromEntries(fields));
}
