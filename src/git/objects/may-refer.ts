/** Whatever names an issue or a pull request has this in it; most messages of commits have not. */
export const mayRefer = /[#!][1-9]|\/(?:issues|pulls)\/[1-9]/;
