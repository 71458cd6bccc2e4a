/** Merges tags of a run, its groups and its tests. Keeps each tag once, in order of first occurrence. */
export const mergeTags = (...lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())];
