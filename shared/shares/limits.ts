/** §5.3 Limits of shares. */
export const SHARE_LIMITS = {
  /** The lifetimes that a share can have, in days. */
  days: [1, 3, 7],
  defaultDays: 3,
  sharesPerProject: 1000,
  labelCharacters: 200,
  /** The maximum number of failed tests on each page of a shared run or spec file. */
  pageTests: 10,
} as const;
