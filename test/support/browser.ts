import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { waitLimitMs } from "./limits.ts";
import { testPassword } from "./test-app.ts";
import { WebVisitor } from "./web-visitor.ts";

/** The path of Debian's chromium, or of another one under its names; null when there is none. */
export function findChromium(): string | null {
  return Bun.which("chromium") ?? Bun.which("chromium-browser") ?? Bun.which("google-chrome");
}

export function startBrowser(chromiumPath: string): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
  });
}

/** What the page's console complained about from now on, such as what its policy forbade. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", ({ message }) => complaints.push(message));
  return complaints;
}

/** A browser context of somebody, with its own cookies: of a user who is signed in, or of a visitor. */
export async function openContext(
  browser: Browser,
  url: string,
  user: string | null,
  options: { javaScriptEnabled?: boolean; deviceScaleFactor?: number } = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(waitLimitMs);
  if (user !== null) {
    const visitor = new WebVisitor(url);
    await visitor.signIn(user, testPassword);
    await context.addCookies(
      visitor.cookie.split("; ").map((pair) => {
        const at = pair.indexOf("=");
        return { url, name: pair.slice(0, at), value: pair.slice(at + 1) };
      }),
    );
  }
  return context;
}

/** How many pixels the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate("Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)");
}
