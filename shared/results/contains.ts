/** Case-insensitive. */
export const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
