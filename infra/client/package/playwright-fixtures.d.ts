import type { TestInfo } from '@playwright/test';

/** Applies the rules of the project: `export const test = base.extend(fixtures)`. */
export const fixtures: {
  readonly rundownRules: readonly [
    (others: object, use: (value: undefined) => Promise<void>, testInfo: TestInfo) => Promise<void>,
    { readonly auto: true; readonly timeout: number },
  ];
};
