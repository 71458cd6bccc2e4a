/** Numbers of fair shares. The least number of calls of an organization is in the limits of each kind of work. */
export const FAIR_SHARES = {
  /** How long an instance of a function relies on the number of organizations that it has read. */
  freshMilliseconds: 60_000,
  /** The slots of an organization share one row, which is written when a call begins and ends. */
  mostSlots: 100,
} as const;
