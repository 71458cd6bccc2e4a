import { test as base } from '@playwright/test';
import type { Market } from './shop/prices.ts';

export type MarketOptions = { market: Market };

/** Playwright's test with the market of the running project as an option. */
export const test = base.extend<MarketOptions>({ market: ['retail', { option: true }] });
