/** The mark of the server, an anvil, in a square of 24. */
export const markPath =
  "M2 6.5h20v3.2c-4.4 0-6.4 1.5-7 3.8h-1.4v2.3h2.6V19H7.8v-3.2h2.6v-2.3H9C8.4 11.2 5.2 10.4 2 6.5Z";

/** The mark as a picture by itself, for tabs and home screens. */
export const markFile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>path{fill:#1c1b19}@media(prefers-color-scheme:dark){path{fill:#ebe9e5}}</style><path d="${markPath}"/></svg>`;
