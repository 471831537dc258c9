import { make } from "./dom.ts";

const restMs = 300;
const path = /\/[^/]+\/[^/]+\/(?:issues|pulls)\/\d+$/;

/** Shows state and title of an issue or a pull request while a pointer or the focus rests on a link to it. Escape takes it away. */
export function startReferences(): void {
  const card = make("div", { class: "menu reference", popover: "manual", role: "tooltip", id: "reference" });
  const known = new Map<string, Promise<string>>();
  let timer = 0;
  let shown: HTMLAnchorElement | null = null;

  function hide(): void {
    clearTimeout(timer);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    if (card.isConnected) {
      card.hidePopover();
    }
  }

  async function show(link: HTMLAnchorElement): Promise<void> {
    const address = `${link.origin}${link.pathname.replace("/pulls/", "/issues/")}/info`;
    const text = known.get(address) ?? fetch(address).then((answer) => (answer.ok ? answer.text() : ""));
    known.set(address, text);
    const markup = await text.catch(() => "");
    if (markup === "" || shown !== link) {
      return;
    }
    card.replaceChildren(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
    document.querySelector("main")?.append(card);
    card.showPopover();
    const { left, top, bottom } = link.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = card;
    card.style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
    card.style.top = `${bottom + offsetHeight + 8 < innerHeight ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
    link.setAttribute("aria-describedby", card.id);
  }

  function follow({ target }: Event): void {
    const element = target instanceof Element ? target : null;
    const link = element?.closest<HTMLAnchorElement>(".document a[href], .event a[href]") ?? null;
    if (element?.closest("#reference") != null || (link !== null && link === shown)) {
      return;
    }
    hide();
    if (link !== null && link.origin === location.origin && path.test(link.pathname)) {
      shown = link;
      timer = window.setTimeout(() => void show(link), restMs);
    }
  }

  document.addEventListener("pointerover", follow);
  document.addEventListener("focusin", follow);
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") {
      hide();
    }
  });
}
