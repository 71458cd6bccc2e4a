/** Tags of a run, its groups and its tests are merged downward: each once, in the order in which they were met. */
export const mergeTags = (...lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())];
