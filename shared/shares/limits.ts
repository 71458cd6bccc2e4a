/** §5.3 Limits of shares. */
export const SHARE_LIMITS = {
  /** How long a share may live, in days. Clients offer these choices. */
  days: [1, 3, 7],
  defaultDays: 3,
  /** Shares of a project that live at the same time. */
  sharesPerProject: 1000,
  labelCharacters: 200,
  /** §7 How many matches the refusal of an ambiguous target names. */
  candidates: 20,
  /** How many spec files with failures a title without a spec file may search. */
  searchedSpecFiles: 50,
  /** Failed tests on a page of a shared run or spec file. */
  pageTests: 10,
} as const;
