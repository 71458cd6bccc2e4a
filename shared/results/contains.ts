/** Searches and compares texts. */

/** Orders texts by their UTF-16 code units. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Whether the text contains the part. Ignores case. */
export const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
