import { make } from "./dom.ts";

let menus = 0;

/** `<filter-menu>` around a link to the choices of a filter: opens them as a menu, which searches as the page does. */
class FilterMenu extends HTMLElement {
  connectedCallback(): void {
    const link = this.querySelector("a");
    if (link === null || this.querySelector("button") !== null) {
      return;
    }
    const id = `filter-menu-${menus++}`;
    const button = make("button", { type: "button", class: link.className, popovertarget: id });
    button.append(...link.childNodes);
    const menu = make("div", { class: "menu wide", id, popover: "" });
    menu.addEventListener("toggle", (event) => {
      if ((event as ToggleEvent).newState === "open" && menu.childElementCount === 0) {
        void this.fill(menu, link.href);
      }
    });
    link.replaceWith(button, menu);
  }

  private async fill(menu: HTMLElement, address: string): Promise<void> {
    try {
      const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
      const choices = page.querySelector("main ref-search");
      if (choices !== null) {
        menu.append(document.importNode(choices, true));
        menu.querySelector("input")?.focus();
        return;
      }
    } catch {
      // The page itself may say why.
    }
    location.assign(address);
  }
}

export function startFilterMenus(): void {
  customElements.define("filter-menu", FilterMenu);
}
