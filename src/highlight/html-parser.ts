import { parseMixed, type Parser } from "@lezer/common";
import { parser as css } from "@lezer/css";
import { configureNesting, parser as html } from "@lezer/html";
import { parser as javascript } from "@lezer/javascript";
import { parser as json } from "@lezer/json";
import { parser as php } from "@lezer/php";

const typescript = javascript.configure({ dialect: "ts" });
const isJson = (type = ""): boolean => type.endsWith("json") || type === "importmap";

/** HTML with the scripts and styles in it. */
export const htmlParser: Parser = html.configure({
  wrap: configureNesting([
    { tag: "script", attrs: ({ type }) => isJson(type), parser: json },
    { tag: "script", attrs: ({ lang }) => lang === "ts" || lang === "tsx", parser: typescript },
    { tag: "script", parser: javascript },
    { tag: "style", parser: css },
  ]),
});

/** PHP with the HTML around it. */
export const phpParser: Parser = php.configure({
  wrap: parseMixed((node) =>
    node.type.isTop ? { parser: htmlParser, overlay: (inner) => inner.name === "Text" } : null,
  ),
});
