/** The commit that an executable was built from. Null outside one; `build.ts` puts another module in place of this one. */
export const commit: string | null = null as string | null;
