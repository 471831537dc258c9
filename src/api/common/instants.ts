/** An instant that never was, as the family writes it. */
export const never = "1970-01-01T00:00:00Z";
