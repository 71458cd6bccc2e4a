/** §5.3 Limits of shares. */
export const SHARE_LIMITS = {
  /** The lifetimes of a share, in days, that clients offer. */
  days: [1, 3, 7],
  defaultDays: 3,
  /** The maximum number of shares that a project has at the same time. */
  sharesPerProject: 1000,
  labelCharacters: 200,
  /** The maximum number of failed tests on each page of a shared run or spec file. */
  pageTests: 10,
} as const;
