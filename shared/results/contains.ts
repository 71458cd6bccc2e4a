/** Whether the text contains the part. Ignores case. */
export const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
