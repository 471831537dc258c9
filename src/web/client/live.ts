import { make } from "./dom.ts";
import { morph, nameOf } from "./morph.ts";

/** The stream opens when the page has been looked at for so long: who only passes needs none. */
const settleMs = 1500;
/** After a change the page is read between so many milliseconds, so that not all readers come at once. */
const soonMs = [200, 900] as const;
/** Between two reads; it doubles while changes go on, up to the last. */
const restMs = 2000;
const longestRestMs = 30_000;
/** Before a lost stream is opened again; it doubles up to the last. */
const againMs = 2000;
const longestAgainMs = 120_000;
const minuteMs = 60_000;

const { body } = document;
/** When this page was read, by the clock of the server. */
let readAt = body.dataset["at"] ?? "";
let source: EventSource | null = null;
let failures = 0;
let opening = 0;
let reading = 0;
let isReading = false;
let lastRead = 0;
let rest = restMs;

const between = (least: number, most: number) => least + Math.random() * (most - least);

function regions(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-live][id]")];
}

/** Whether something was typed or chosen in it, or is about to be. */
function isTyping(part: HTMLElement | null): boolean {
  const fields = part?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input:not([type=hidden])");
  return [...(fields ?? [])].some(
    (field) =>
      (field === document.activeElement && field.type !== "checkbox") ||
      field.value !== field.defaultValue ||
      ("checked" in field && field.checked !== field.defaultChecked),
  );
}

/** The things that a region shows, by their names. */
function itemsOf(region: HTMLElement): Map<string, HTMLElement> {
  return new Map(
    [...region.querySelectorAll("li")].map((item) => [nameOf(item), item] as const).filter(([name]) => name !== ""),
  );
}

/** What a region shows, for the reader: of another key it is another thing. */
function keyOf(region: HTMLElement): string {
  return region.dataset["key"] ?? [...itemsOf(region).keys()].join(" ");
}

/** All that a region says, except how long ago. */
function wordsOf(region: HTMLElement): string {
  const copy = region.cloneNode(true) as HTMLElement;
  for (const time of copy.querySelectorAll("time")) {
    time.remove();
  }
  return copy.textContent;
}

let offerList: HTMLElement | null = null;

/** A word that something new is there, which is shown at a click. It moves nothing that the reader looks at. */
class Offer {
  private readonly since = Date.now();
  private readonly button = make("button", { type: "button", class: "button main" });
  private readonly timer = setInterval(() => this.say(), minuteMs / 2);

  constructor(
    private readonly region: HTMLElement,
    private next: HTMLElement,
  ) {
    this.button.addEventListener("click", () => this.show());
    if (offerList === null) {
      offerList = make("div", { class: "offers", role: "status" });
      body.append(offerList);
    }
    offerList.append(this.button);
    this.say();
  }

  take(next: HTMLElement): void {
    this.next = next;
    this.say();
  }

  remove(): void {
    clearInterval(this.timer);
    this.button.remove();
    offers.delete(this.region.id);
  }

  private fresh(): string[] {
    const known = itemsOf(this.region);
    return [...itemsOf(this.next).keys()].filter((name) => !known.has(name));
  }

  private say(): void {
    const { said, noun = "" } = this.region.dataset;
    const { length: count } = this.fresh();
    const minutes = Math.floor((Date.now() - this.since) / minuteMs);
    const ago = minutes === 0 ? "just now" : minutes === 1 ? "1 minute ago" : `${minutes} minutes ago`;
    const words =
      said !== undefined
        ? `${said} ${ago}`
        : count === 0 || noun === ""
          ? "Something changed"
          : `${count} new ${noun}${count === 1 ? "" : "s"}`;
    if (this.button.textContent !== `${words} · show`) {
      this.button.textContent = `${words} · show`;
    }
  }

  private show(): void {
    const [first = ""] = this.fresh();
    this.remove();
    morph(this.region, this.next);
    const shown = itemsOf(this.region).get(first) ?? this.region;
    shown.tabIndex = -1;
    shown.scrollIntoView({ block: "nearest" });
    shown.focus({ preventScroll: true });
  }
}

const offers = new Map<string, Offer>();

/** Shows a region as it is now; or offers to, where that would move what the reader is about to press, or where they are typing. */
function update(region: HTMLElement, next: HTMLElement): void {
  const { offer, beside = "" } = region.dataset;
  const typing = isTyping(region);
  const asks = offer !== undefined || isTyping(document.getElementById(beside));
  const offered = offers.get(region.id);
  if (typing ? wordsOf(region) !== wordsOf(next) : asks && keyOf(region) !== keyOf(next)) {
    if (offered === undefined) {
      offers.set(region.id, new Offer(region, next));
    } else {
      offered.take(next);
    }
  } else if (!typing) {
    offered?.remove();
    morph(region, next);
  }
}

async function read(): Promise<void> {
  isReading = true;
  try {
    const answer = await fetch(location.href, { headers: { "x-live": "1" } });
    if (!answer.ok || answer.redirected) {
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    readAt = page.body.dataset["at"] ?? readAt;
    for (const region of regions()) {
      const next = page.getElementById(region.id);
      if (next !== null) {
        update(region, next);
      }
    }
  } catch {
    // The next change, or the next stream, has it read again.
  } finally {
    isReading = false;
    lastRead = performance.now();
  }
}

function readSoon(): void {
  if (reading !== 0) {
    return;
  }
  const passed = performance.now() - lastRead;
  rest = passed < rest * 2 ? Math.min(rest * 2, longestRestMs) : restMs;
  const wait = lastRead === 0 ? 0 : Math.max(0, rest - passed);
  reading = window.setTimeout(
    () => {
      reading = 0;
      if (isReading) {
        readSoon();
      } else {
        void read();
      }
    },
    wait + between(...soonMs),
  );
}

function showUnread(count: number): void {
  const inbox = document.getElementById("inbox");
  const [badge, words] = inbox?.querySelectorAll("span") ?? [];
  if (badge !== undefined && words !== undefined) {
    badge.hidden = count === 0;
    badge.textContent = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
    words.textContent = count === 0 ? "Notifications" : `Notifications, ${count} unread`;
  }
}

function close(): void {
  clearTimeout(opening);
  opening = 0;
  source?.close();
  source = null;
}

function openIn(ms: number, stream: string): void {
  clearTimeout(opening);
  opening = window.setTimeout(() => open(stream), ms);
}

function open(stream: string): void {
  close();
  source = new EventSource(`${stream}${stream.includes("?") ? "&" : "?"}since=${readAt}`);
  source.addEventListener("open", () => {
    failures = 0;
  });
  source.addEventListener("changed", readSoon);
  source.addEventListener("unread", ({ data }: MessageEvent<string>) => showUnread(Number(data)));
  // The browser would come back after the same time as all others.
  source.addEventListener("error", () => {
    close();
    const wait = Math.min(longestAgainMs, againMs * 2 ** failures++);
    openIn(between(wait / 2, wait), stream);
  });
}

/** Hears from the server that what the page shows has changed, reads the page again and shows what is new in place. */
export function startLive(): void {
  const { stream } = body.dataset;
  if (stream === undefined) {
    return;
  }
  const follow = () => {
    if (document.hidden) {
      close();
    } else if (source === null) {
      failures = 0;
      openIn(between(settleMs / 2, settleMs), stream);
    }
  };
  document.addEventListener("visibilitychange", follow);
  addEventListener("pagehide", close);
  addEventListener("pageshow", follow);
  follow();
}
