/** §5.3 Limits of shares. */
export const SHARE_LIMITS = {
  /** The lifetimes of a share, in days, that clients offer. */
  days: [1, 3, 7],
  defaultDays: 3,
  /** The maximum number of shares that a project has at the same time. */
  sharesPerProject: 1000,
  labelCharacters: 200,
  /** §7 The maximum number of matches that the error about an ambiguous request lists. */
  candidates: 20,
  /** The maximum number of spec files with failures that are searched if a request names a test only by its title. */
  searchedSpecFiles: 50,
  /** The maximum number of failed tests on each page of a shared run or spec file. */
  pageTests: 10,
} as const;
