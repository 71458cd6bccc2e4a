/** Whether a text has this part, in any case. */
export const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
